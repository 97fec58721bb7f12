#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace spindle::live {

/// The kinds of data whose changes clients can follow. The scope of a change is the id of a
/// project; of a delivery, the id of the team of its webhook.
enum class Topic { kCalls, kSpans, kRuns, kJobs, kEvaluations, kDeliveries };

/// The names of the topics, in the order of the enumeration.
inline constexpr std::array<std::string_view, 6> kTopicNames = {
    "calls", "spans", "runs", "jobs", "evaluations", "deliveries"};

constexpr std::string_view textOf(Topic topic) {
  return kTopicNames[static_cast<std::size_t>(topic)];
}
std::optional<Topic> topicOf(std::string_view text);

/// Returns true if the scope of the topic is a team instead of a project.
constexpr bool isOfTeam(Topic topic) { return topic == Topic::kDeliveries; }

}  // namespace spindle::live
