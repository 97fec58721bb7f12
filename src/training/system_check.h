#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/time.h"
#include "training/job_repository.h"

namespace spindle::training {

/// What became of a look at one component.
struct ComponentCheck {
  bool success = true;
  std::optional<std::string> error;
};

/// Checks that jobs do not wait while no trainer has been heard of for a minute.
/// `trainer_silence` is the time since one was; nothing when none ever was.
ComponentCheck checkTrainers(const JobRepository::Waiting& waiting,
                             std::optional<std::chrono::steady_clock::duration> trainer_silence,
                             Timestamp now);

}  // namespace spindle::training
