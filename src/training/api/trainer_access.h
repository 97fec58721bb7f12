#pragma once

#include <cstdint>
#include <string>

#include "base/core/result.h"
#include "http/router/parameters.h"
#include "http/router/route.h"
#include "schema/scalar.h"
#include "training/api/training_api.h"
#include "training/data/artifact_writer.h"
#include "training/jobs/job_repository.h"

namespace spindle::training {

inline constexpr std::string_view kTrainerTag = "trainer";

/// The path parameter and lease token of a trainer's request about a job.
struct LeasePath {
  std::string id;
  std::string token;

  JobLease lease() const { return {id, token}; }
};
/// Adds the parameter `{id}` and the lease header.
template <class P>
http::Parameters<P> leaseParameters() {
  http::Parameters<P> parameters;
  parameters.path("id", &LeasePath::id, schema::string(), "Id of the job.")
      .header("Lease-Token", &LeasePath::token, schema::string(), "The token of the lease.");
  return parameters;
}

/// Returns the codec of a file that a trainer downloads or uploads.
schema::Codec<ArtifactFile> fileCodec(const std::string& record);

/// Requires a trainer: an organization admin, or a service account of the organization whose
/// description is `trainer` or starts with `trainer `.
/// @return kPermissionDenied, kUnavailable
Result<void> requireTrainer(const TrainingServices& services, const http::Context& context);
/// Requires a trainer for a path that names a job. Returns kNotFound to others, so that they cannot
/// learn whether the job exists.
/// @return kNotFound, kUnavailable
Result<void> requireTrainerOfJob(const TrainingServices& services, const http::Context& context);

}  // namespace spindle::training
