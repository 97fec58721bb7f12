#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "http/router/operation.h"
#include "registry/routes/artifact_resolver.h"
#include "training/api/training_api.h"
#include "training/jobs/job.h"
#include "training/jobs/job_config.h"

namespace spindle::training {

/// Returns the artifact version that a path in a request names. `member`: the member of the body.
/// @return kInvalidArgument if the caller cannot read such a version; kUnavailable
Result<registry::ResolvedVersion> versionNamed(const TrainingServices& services,
                                               const http::Context& context,
                                               const std::string& text,
                                               std::string_view member);

/// Returns the data file of the artifact that a path names. `member`: as above.
/// @return kInvalidArgument if there is none
Result<JobData> dataAt(const TrainingServices& services,
                       const http::Context& context,
                       const std::string& url,
                       std::string_view member);

/// Resolves the KL reference of a configuration, if it names one by its path.
/// @return kInvalidArgument
Result<void> resolveReference(const TrainingServices& services,
                              const http::Context& context,
                              RlConfig& config);

/// Creates an RL job from the groups in an artifact, one per line. The job keeps a copy of them.
/// @return kInvalidArgument for invalid groups; kTooLarge
Result<Job> createRlFrom(const TrainingServices& services,
                         const http::Context& context,
                         const std::string& model_id,
                         const std::string& url,
                         const RlConfig& config,
                         const JobResources& resources = {});

}  // namespace spindle::training
