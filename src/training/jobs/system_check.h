#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/core/time.h"
#include "training/jobs/job_repository.h"

namespace spindle::training {

/// The result of the check of one component.
struct ComponentCheck {
  bool success = true;
  std::optional<std::string> error;
};

/// Fails if jobs have been pending for a minute while no trainer sent a request for a minute.
/// `time_since_contact`: the time since the last request of a trainer; empty if there was none.
ComponentCheck checkTrainers(const JobRepository::Waiting& waiting,
                             std::optional<std::chrono::steady_clock::duration> time_since_contact,
                             Timestamp now);

}  // namespace spindle::training
