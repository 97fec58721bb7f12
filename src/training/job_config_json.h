#pragma once

#include <string>

#include "training/job_config.h"

namespace spindle::training {

/// What a trainer gets: every member with its value, defaults filled in
/// (`docs/trainer_protocol.md`).
std::string filledConfig(const RlConfig& config);
std::string filledConfig(const SftConfig& config);

/// Which policy such a filled configuration compares with.
KlReference klReferenceOf(std::string filled_config);

/// How such a filled configuration of an SFT job shows its steps.
MetricLogging metricLoggingOf(std::string filled_config);

}  // namespace spindle::training
