#include "events/event.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/core/lookup.h"

namespace spindle::events {
namespace {

constexpr auto kOlderNames = std::to_array<LookupEntry<EventType>>({
    {EventType::kLinkArtifact, "LINK_MODEL"},
    {EventType::kRunMetricThreshold, "RUN_METRIC"},
});

std::string upperCase(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return upper;
}

}  // namespace

std::string_view textOf(EventType type) { return kEventTypeNames[static_cast<std::size_t>(type)]; }

std::optional<EventType> eventTypeOf(std::string_view text) {
  const std::string upper = upperCase(text);
  const auto* const name = std::find(kEventTypeNames.begin(), kEventTypeNames.end(), upper);
  if (name != kEventTypeNames.end()) return static_cast<EventType>(name - kEventTypeNames.begin());
  return keyOf(kOlderNames, upper);
}

}  // namespace spindle::events
