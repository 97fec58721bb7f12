#include "jobs/job.h"

#include <array>
#include <stdexcept>
#include <utility>

namespace spindle::jobs {
namespace {

using enum JobState;
constexpr std::array<std::pair<JobState, std::string_view>, 5> kNames{{{kQueued, "queued"},
                                                                       {kRunning, "running"},
                                                                       {kSucceeded, "succeeded"},
                                                                       {kFailed, "failed"},
                                                                       {kCancelled, "cancelled"}}};

}  // namespace

std::string_view textOf(JobState state) {
  for (const auto& [known, name] : kNames) {
    if (known == state) return name;
  }
  throw std::logic_error("unnamed job state");
}

JobState jobStateOf(std::string_view text) {
  for (const auto& [state, name] : kNames) {
    if (name == text) return state;
  }
  throw std::logic_error("unknown job state");
}

}  // namespace spindle::jobs
