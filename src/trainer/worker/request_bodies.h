#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trainer/jobs/job.h"

namespace spindle::trainer {

// Bodies of the requests of a trainer (docs/trainer_protocol.md), as JSON.

std::string leaseBody(const std::string& worker,
                      std::int64_t wait_seconds,
                      const std::string& device);

std::string heartBeatBody(std::optional<double> seconds_left);

/// The event that a job starts with. `note`: why there are no steps; empty if there are steps.
std::string startBody(std::uint64_t steps, const std::string& note);
/// The event number `number`, after a gradient step.
std::string stepBody(std::uint64_t number, const Metrics& metrics);

std::string resultBody(const JobResult& result);

std::string failureBody(const std::string& message);

}  // namespace spindle::trainer
