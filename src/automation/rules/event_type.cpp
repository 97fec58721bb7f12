#include "automation/rules/event_type.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

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
  std::uint8_t scopes;
};

constexpr std::array kRows = {
    Row{EventType::kLinkArtifact, kAll},        Row{EventType::kUnlinkArtifact, kAll},
    Row{EventType::kCreateArtifact, kNew},      Row{EventType::kAddArtifactAlias, kAll},
    Row{EventType::kAddArtifactTag, kAll},      Row{EventType::kRemoveArtifactTag, kAll},
    Row{EventType::kAddCollectionTag, kAll},    Row{EventType::kRemoveCollectionTag, kAll},
    Row{EventType::kRunMetricThreshold, kWide}, Row{EventType::kRunMetricChange, kWide},
    Row{EventType::kRunMetricZscore, kWide},    Row{EventType::kRunState, kWide},
    Row{EventType::kEvaluationFinished, kWide}, Row{EventType::kTrainingJobFinished, kWide},
    Row{EventType::kTrainingJobFailed, kWide},  Row{EventType::kTraceMetricThreshold, kWide},
};

constexpr std::array<EventType, kRows.size()> allTypes() {
  std::array<EventType, kRows.size()> types{};
  for (std::size_t i = 0; i < kRows.size(); ++i) types[i] = kRows[i].type;
  return types;
}
constexpr std::array kTypes = allTypes();

std::uint8_t scopesOf(EventType type) {
  const auto* const row = std::find_if(kRows.begin(), kRows.end(),
                                       [type](const Row& known) { return known.type == type; });
  return row == kRows.end() ? std::uint8_t{0} : row->scopes;
}

}  // namespace

std::span<const EventType> eventTypes() { return kTypes; }

bool canOccurIn(EventType type, ScopeType scope) { return (scopesOf(type) & bit(scope)) != 0; }

bool isWatchable(EventType type) { return scopesOf(type) != 0; }

}  // namespace spindle::automation
