#pragma once

#include <string>

#include "training/jobs/job_config.h"

namespace spindle::training {

/// Returns the configuration for a trainer: every member, with defaults filled in
/// (`docs/trainer_protocol.md`).
std::string effectiveConfig(const RlConfig& config);
std::string effectiveConfig(const SftConfig& config);

/// Returns the KL reference policy of an effective configuration.
KlReference klReferenceOf(std::string effective_config);

/// Returns the metric logging of an effective SFT configuration.
MetricLogging metricLoggingOf(std::string effective_config);

}  // namespace spindle::training
