#include "automation/payloads/payload_variable.h"

#include <array>
#include <chrono>

#include "automation/payloads/named_value.h"

namespace spindle::automation {
namespace {

constexpr std::array kVariables = {
    PayloadVariable{"project_name"},
    PayloadVariable{"entity_name"},
    PayloadVariable{"event_type"},
    PayloadVariable{"event_author"},
    PayloadVariable{"alias"},
    PayloadVariable{"tag"},
    PayloadVariable{"artifact_collection_name"},
    PayloadVariable{"artifact_version"},
    PayloadVariable{"artifact_version_string"},
    PayloadVariable{"artifact_version_index", VariableKind::kNumber},
    PayloadVariable{"event_id"},
    PayloadVariable{"event_time"},
    PayloadVariable{"automation_name"},
    PayloadVariable{"registry_name"},
    PayloadVariable{"run_id"},
    PayloadVariable{"run_name"},
    PayloadVariable{"run_state"},
    PayloadVariable{"training_job_id"},
    PayloadVariable{"model_name"},
    PayloadVariable{"error_message"},
    PayloadVariable{"metric_name"},
    PayloadVariable{"metric_value", VariableKind::kNumber},
    PayloadVariable{"metric_threshold", VariableKind::kNumber},
};

}  // namespace

std::span<const PayloadVariable> payloadVariables() { return kVariables; }

const PayloadVariable* findPayloadVariable(std::string_view name) {
  return rowNamed<PayloadVariable>(kVariables, name);
}

std::string eventTimeText(Timestamp time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(time - seconds).count();
  std::string text = formatTimestamp(seconds);
  text.pop_back();
  std::string digits = std::to_string(rest);
  digits.insert(0, 3 - digits.size(), '0');
  return text + "." + digits + "Z";
}

bool isReservedSecretName(std::string_view name) {
  return name == kAccessToken || name == kMetadataVariable || findPayloadVariable(name) != nullptr;
}

}  // namespace spindle::automation
