#include "training/jobs/system_check.h"

namespace spindle::training {
namespace {

constexpr std::chrono::seconds kSilence{60};

}  // namespace

ComponentCheck checkTrainers(const JobRepository::Waiting& waiting,
                             std::optional<std::chrono::steady_clock::duration> time_since_contact,
                             Timestamp now) {
  ComponentCheck check;
  if (waiting.count == 0 || !waiting.since || now - *waiting.since < kSilence) return check;
  if (time_since_contact && *time_since_contact < kSilence) return check;
  check.success = false;
  check.error =
      std::to_string(waiting.count) +
      " training jobs are pending, and no trainer has contacted the server for a minute. Start "
      "spindle-trainer.";
  return check;
}

}  // namespace spindle::training
