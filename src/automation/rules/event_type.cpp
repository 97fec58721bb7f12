#include "automation/rules/event_type.h"

#include <array>
#include <cstddef>

namespace spindle::automation {
namespace {

constexpr std::uint8_t bit(ScopeType scope) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(scope));
}
constexpr std::uint8_t kWide =
    bit(ScopeType::kOrganization) | bit(ScopeType::kTeam) | bit(ScopeType::kProject);
constexpr std::uint8_t kAll = kWide | bit(ScopeType::kRegistry) | bit(ScopeType::kCollection);
constexpr std::uint8_t kNew = bit(ScopeType::kProject) | bit(ScopeType::kCollection);

constexpr Presence kMay = Presence::kOptional;
constexpr Presence kMust = Presence::kRequired;
constexpr std::array<std::string_view, 3> kTraceMetrics = {"cost", "error_rate", "latency_ms"};

constexpr EventSubject kVersion = {.version = true};
constexpr EventSubject kVersionWithAlias = {.version = true, .alias = true};
constexpr EventSubject kVersionWithTag = {.version = true, .tag = true};
constexpr EventSubject kCollectionWithTag = {.collection = true, .tag = true};
constexpr EventSubject kRun = {.run = true};
constexpr EventSubject kJob = {.training_job = true};
constexpr EventSubject kJobWithVersion = {.version = true, .training_job = true};
constexpr EventSubject kJobWithError = {.training_job = true, .error = true};

/// Every event type that automations can use: its scopes, its subject, its filters, and the members
/// of its metric condition. The order is that of EventType.
constexpr auto kRows = std::to_array<EventTypeRow>({
    {EventType::kLinkArtifact, kAll, kVersion, {.alias_regex = kMay}},
    {EventType::kUnlinkArtifact, kAll, kVersion, {.alias_regex = kMay}},
    {EventType::kCreateArtifact, kNew, kVersion, {.alias_regex = kMay}},
    {EventType::kAddArtifactAlias, kAll, kVersionWithAlias, {.alias_regex = kMust}},
    {EventType::kAddArtifactTag, kAll, kVersionWithTag, {.tag_regex = kMust}},
    {EventType::kRemoveArtifactTag, kAll, kVersionWithTag, {.tag_regex = kMay}},
    {EventType::kAddCollectionTag, kAll, kCollectionWithTag, {.tag_regex = kMay}},
    {EventType::kRemoveCollectionTag, kAll, kCollectionWithTag, {.tag_regex = kMay}},
    {EventType::kRunMetricThreshold,
     kWide,
     kRun,
     {.run_filter = kMay, .metric = kMust},
     {.aggregation = kMay, .window = kMay, .comparison = kMust, .threshold = kMust}},
    {EventType::kRunMetricChange,
     kWide,
     kRun,
     {.run_filter = kMay, .metric = kMust},
     {.aggregation = kMay, .change_windows = kMay, .change = kMust, .direction = kMust}},
    {EventType::kRunMetricZscore,
     kWide,
     kRun,
     {.run_filter = kMay, .metric = kMust},
     {.window = kMay, .threshold = kMay, .direction = kMay, .positive_threshold = true}},
    {EventType::kRunState, kWide, kRun, {.run_filter = kMay, .states = kMust}},
    {EventType::kEvaluationFinished, kWide, {}, {.score = kMay}},
    {EventType::kTrainingJobFinished, kWide, kJobWithVersion},
    {EventType::kTrainingJobFailed, kWide, kJobWithError},
    {EventType::kTrainingJobCancelled, kWide, kJob},
    {EventType::kTraceMetricThreshold,
     kWide,
     {},
     {.metric = kMust},
     {.window = kMay, .comparison = kMust, .threshold = kMust, .names = kTraceMetrics}},
});

constexpr bool hasAllTypesInOrder() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].type) != i) return false;
  }
  return kRows.size() == static_cast<std::size_t>(EventType::kAgentTurnEnded);
}
static_assert(hasAllTypesInOrder(), "every event type of automations needs a row");

}  // namespace

std::span<const EventTypeRow> eventTypes() { return kRows; }

const EventTypeRow* findEventType(EventType type) {
  const auto index = static_cast<std::size_t>(type);
  return index < kRows.size() ? &kRows[index] : nullptr;
}

bool canOccurIn(EventType type, ScopeType scope) {
  const EventTypeRow* const row = findEventType(type);
  return row != nullptr && (row->scopes & bit(scope)) != 0;
}

bool isWatchable(EventType type) { return findEventType(type) != nullptr; }

}  // namespace spindle::automation
