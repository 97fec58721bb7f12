#include "automation/event_type.h"

#include <array>
#include <cstdint>

#include "automation/named_value.h"

namespace spindle::automation {
namespace {

constexpr std::uint8_t bit(ScopeType scope) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(scope));
}
constexpr std::uint8_t kWide =
    bit(ScopeType::kOrganization) | bit(ScopeType::kTeam) | bit(ScopeType::kProject);
constexpr std::uint8_t kAll = kWide | bit(ScopeType::kRegistry) | bit(ScopeType::kCollection);
constexpr std::uint8_t kNew = bit(ScopeType::kProject) | bit(ScopeType::kCollection);

struct Row {
  EventType type;
  std::string_view name;
  std::uint8_t scopes;
};

constexpr std::array kRows = {
    Row{EventType::kLinkArtifact, "LINK_ARTIFACT", kAll},
    Row{EventType::kUnlinkArtifact, "UNLINK_ARTIFACT", kAll},
    Row{EventType::kCreateArtifact, "CREATE_ARTIFACT", kNew},
    Row{EventType::kAddArtifactAlias, "ADD_ARTIFACT_ALIAS", kAll},
    Row{EventType::kAddArtifactTag, "ADD_ARTIFACT_TAG", kAll},
    Row{EventType::kRemoveArtifactTag, "REMOVE_ARTIFACT_TAG", kAll},
    Row{EventType::kAddCollectionTag, "ADD_COLLECTION_TAG", kAll},
    Row{EventType::kRemoveCollectionTag, "REMOVE_COLLECTION_TAG", kAll},
    Row{EventType::kRunMetricThreshold, "RUN_METRIC_THRESHOLD", kWide},
    Row{EventType::kRunMetricChange, "RUN_METRIC_CHANGE", kWide},
    Row{EventType::kRunMetricZscore, "RUN_METRIC_ZSCORE", kWide},
    Row{EventType::kRunState, "RUN_STATE", kWide},
    Row{EventType::kEvaluationFinished, "EVALUATION_FINISHED", kWide},
    Row{EventType::kTrainingJobFinished, "TRAINING_JOB_FINISHED", kWide},
    Row{EventType::kTrainingJobFailed, "TRAINING_JOB_FAILED", kWide},
    Row{EventType::kTraceMetricThreshold, "TRACE_METRIC_THRESHOLD", kWide},
};

constexpr std::array<EventType, kRows.size()> allTypes() {
  std::array<EventType, kRows.size()> types{};
  for (std::size_t i = 0; i < kRows.size(); ++i) types[i] = kRows[i].type;
  return types;
}
constexpr std::array kTypes = allTypes();

constexpr bool inOrder() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].type) != i) return false;
  }
  return true;
}
static_assert(inOrder(), "rows stand in the order of the enumeration");

const Row& rowOf(EventType type) { return kRows[static_cast<std::size_t>(type)]; }

}  // namespace

std::string_view textOf(EventType type) { return rowOf(type).name; }

std::optional<EventType> eventTypeOf(std::string_view text) {
  const std::string wanted = upperCase(text);
  if (wanted == "LINK_MODEL") return EventType::kLinkArtifact;
  if (wanted == "RUN_METRIC") return EventType::kRunMetricThreshold;
  for (const Row& row : kRows) {
    if (row.name == wanted) return row.type;
  }
  return std::nullopt;
}

std::span<const EventType> eventTypes() { return kTypes; }

bool happensIn(EventType type, ScopeType scope) { return (rowOf(type).scopes & bit(scope)) != 0; }

}  // namespace spindle::automation
