#include "events/event.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace spindle::events {
namespace {

constexpr std::array<std::string_view, 17> kNames = {
    "LINK_ARTIFACT",          "UNLINK_ARTIFACT",       "CREATE_ARTIFACT",
    "ADD_ARTIFACT_ALIAS",     "ADD_ARTIFACT_TAG",      "REMOVE_ARTIFACT_TAG",
    "ADD_COLLECTION_TAG",     "REMOVE_COLLECTION_TAG", "RUN_METRIC_THRESHOLD",
    "RUN_METRIC_CHANGE",      "RUN_METRIC_ZSCORE",     "RUN_STATE",
    "EVALUATION_FINISHED",    "TRAINING_JOB_FINISHED", "TRAINING_JOB_FAILED",
    "TRACE_METRIC_THRESHOLD", "AGENT_TURN_ENDED",
};
static_assert(kNames.size() == static_cast<std::size_t>(EventType::kAgentTurnEnded) + 1);

constexpr std::array<std::pair<std::string_view, EventType>, 2> kOlderNames = {{
    {"LINK_MODEL", EventType::kLinkArtifact},
    {"RUN_METRIC", EventType::kRunMetricThreshold},
}};

std::string upperCase(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return upper;
}

}  // namespace

std::string_view textOf(EventType type) { return kNames[static_cast<std::size_t>(type)]; }

std::optional<EventType> eventTypeOf(std::string_view text) {
  const std::string upper = upperCase(text);
  const auto* const name = std::find(kNames.begin(), kNames.end(), upper);
  if (name != kNames.end()) return static_cast<EventType>(name - kNames.begin());
  for (const auto& [older, type] : kOlderNames) {
    if (older == upper) return type;
  }
  return std::nullopt;
}

}  // namespace spindle::events
