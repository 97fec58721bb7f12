#pragma once

#include <string>

#include "base/core/result.h"
#include "schema/type.h"
#include "training/jobs/job_config.h"

namespace spindle::training {

/// Return the codecs of `experimental_config` of an RL job and of `config` of an SFT job.
schema::Codec<RlConfig> rlConfigCodec();
schema::Codec<SftConfig> sftConfigCodec();

/// Returns the configuration for a trainer: every member, with defaults filled in
/// (`docs/trainer_protocol.md`).
std::string effectiveConfig(const RlConfig& config);
std::string effectiveConfig(const SftConfig& config);

/// Return the configuration of an effective configuration with changes, a JSON object. A member of
/// the changes replaces that of the configuration and the defaults that depended on it; null
/// restores the default. @return kInvalidSchema for invalid or unknown members, below `config`.
Result<RlConfig> changedRlConfig(std::string effective_config, const std::string& changes);
Result<SftConfig> changedSftConfig(std::string effective_config, const std::string& changes);

/// Returns the KL reference policy of an effective configuration.
KlReference klReferenceOf(std::string effective_config);

/// Returns the metric logging of an effective SFT configuration.
MetricLogging metricLoggingOf(std::string effective_config);

}  // namespace spindle::training
