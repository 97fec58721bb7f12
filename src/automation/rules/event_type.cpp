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

struct EventTypeRow {
  EventType type;
  std::uint8_t scopes;
};

constexpr std::array kRows = {
    EventTypeRow{EventType::kLinkArtifact, kAll},
    EventTypeRow{EventType::kUnlinkArtifact, kAll},
    EventTypeRow{EventType::kCreateArtifact, kNew},
    EventTypeRow{EventType::kAddArtifactAlias, kAll},
    EventTypeRow{EventType::kAddArtifactTag, kAll},
    EventTypeRow{EventType::kRemoveArtifactTag, kAll},
    EventTypeRow{EventType::kAddCollectionTag, kAll},
    EventTypeRow{EventType::kRemoveCollectionTag, kAll},
    EventTypeRow{EventType::kRunMetricThreshold, kWide},
    EventTypeRow{EventType::kRunMetricChange, kWide},
    EventTypeRow{EventType::kRunMetricZscore, kWide},
    EventTypeRow{EventType::kRunState, kWide},
    EventTypeRow{EventType::kEvaluationFinished, kWide},
    EventTypeRow{EventType::kTrainingJobFinished, kWide},
    EventTypeRow{EventType::kTrainingJobFailed, kWide},
    EventTypeRow{EventType::kTraceMetricThreshold, kWide},
};

constexpr std::array<EventType, kRows.size()> allTypes() {
  std::array<EventType, kRows.size()> types{};
  for (std::size_t i = 0; i < kRows.size(); ++i) types[i] = kRows[i].type;
  return types;
}
constexpr std::array kTypes = allTypes();

std::uint8_t scopesOf(EventType type) {
  const auto* const row = std::find_if(
      kRows.begin(), kRows.end(), [type](const EventTypeRow& known) { return known.type == type; });
  return row == kRows.end() ? std::uint8_t{0} : row->scopes;
}

}  // namespace

std::span<const EventType> eventTypes() { return kTypes; }

bool canOccurIn(EventType type, ScopeType scope) { return (scopesOf(type) & bit(scope)) != 0; }

bool isWatchable(EventType type) { return scopesOf(type) != 0; }

}  // namespace spindle::automation
