#include "automation/payloads/payload_preset.h"

#include <array>

#include "automation/payloads/named_value.h"

namespace spindle::automation {
namespace {

constexpr std::array kPresets = {
    PayloadPreset{
        "repository_dispatch",
        "Starts a workflow of a code hosting service; the `types` of the workflow contain the "
        "event type.",
        R"({"event_type":"${event_type}","client_payload":{"event_author":"${event_author}",)"
        R"("artifact_version":"${artifact_version}",)"
        R"("artifact_version_string":"${artifact_version_string}",)"
        R"("artifact_collection_name":"${artifact_collection_name}",)"
        R"("project_name":"${project_name}","entity_name":"${entity_name}"}})"},
    PayloadPreset{"message_card", "A message card for a channel of a team chat.",
                  R"({"@type":"MessageCard","@context":"https://schema.org/extensions",)"
                  R"("summary":"${event_type}","title":"${automation_name}","sections":[{"facts":[)"
                  R"({"name":"Event","value":"${event_type}"},)"
                  R"({"name":"Author","value":"${event_author}"},)"
                  R"({"name":"Project","value":"${entity_name}/${project_name}"},)"
                  R"({"name":"Artifact","value":"${artifact_version_string}"},)"
                  R"({"name":"Run","value":"${run_name}"}]}]})"},
    PayloadPreset{"incoming_webhook", "A line of text for the incoming webhook of a chat service.",
                  R"({"text":"${automation_name}: ${event_type} by ${event_author} in )"
                  R"(${entity_name}/${project_name} ${artifact_version_string}${run_name}"})"},
};

}  // namespace

std::span<const PayloadPreset> payloadPresets() { return kPresets; }

const PayloadPreset* findPayloadPreset(std::string_view name) {
  return rowNamed<PayloadPreset>(kPresets, name);
}

std::string_view defaultPayload() {
  return R"({"event_type":"${event_type}","event_author":"${event_author}",)"
         R"("entity_name":"${entity_name}","project_name":"${project_name}",)"
         R"("artifact_collection_name":"${artifact_collection_name}",)"
         R"("artifact_version":"${artifact_version}",)"
         R"("artifact_version_string":"${artifact_version_string}","alias":"${alias}",)"
         R"("tag":"${tag}","run_id":"${run_id}","run_name":"${run_name}",)"
         R"("run_state":"${run_state}","metric_name":"${metric_name}",)"
         R"("metric_value":${metric_value}})";
}

}  // namespace spindle::automation
