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

/// Jobs that wait, while no trainer has been heard of for a minute, are left alone.
ComponentCheck checkTrainers(const JobRepository::Waiting& waiting,
                             std::optional<Timestamp> last_seen,
                             Timestamp now);

}  // namespace spindle::training
