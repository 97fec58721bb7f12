#include "training/jobs/job.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace spindle::training {
namespace {

constexpr std::array<std::string_view, 2> kKinds = {"rl", "sft"};
constexpr std::array<std::string_view, 5> kStatuses = {"PENDING", "RUNNING", "COMPLETED", "FAILED",
                                                       "CANCELLED"};
constexpr std::array<std::string_view, 4> kEvents = {"training_started", "gradient_step",
                                                     "training_ended", "training_failed"};

}  // namespace

std::string_view textOf(JobKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

JobKind jobKindOf(std::string_view text) {
  return text == kKinds[1] ? JobKind::kSft : JobKind::kRl;
}

std::string_view textOf(JobStatus status) { return kStatuses[static_cast<std::size_t>(status)]; }

std::optional<JobStatus> jobStatusOf(std::string_view text) {
  const auto* const found = std::find(kStatuses.begin(), kStatuses.end(), text);
  if (found == kStatuses.end()) return std::nullopt;
  return static_cast<JobStatus>(found - kStatuses.begin());
}

std::string_view textOf(EventType type) { return kEvents[static_cast<std::size_t>(type)]; }

EventType eventTypeOf(std::string_view text) {
  const auto* const found = std::find(kEvents.begin(), kEvents.end(), text);
  return found == kEvents.end() ? EventType::kGradientStep
                                : static_cast<EventType>(found - kEvents.begin());
}

std::optional<double> Job::progress() const {
  if (status == JobStatus::kCompleted) return 1.0;
  if (!steps_expected) return std::nullopt;
  if (*steps_expected == 0) return 0.0;
  // The first event is the start; every step adds one event.
  const bool over = !isOpen(status);
  const std::int64_t steps = std::max<std::int64_t>(last_sequence - (over ? 2 : 1), 0);
  return std::min(1.0, static_cast<double>(steps) / static_cast<double>(*steps_expected));
}

}  // namespace spindle::training
