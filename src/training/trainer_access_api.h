#pragma once

#include <string>

#include "base/result.h"
#include "http/parameters.h"
#include "http/route.h"
#include "schema/scalar.h"
#include "training/job_repository.h"
#include "training/training_api.h"

namespace spindle::training {

inline constexpr std::string_view kTrainerTag = "trainer";

/// The path of a trainer's call about a job, and its lease.
struct HoldPath {
  std::string id;
  std::string token;

  JobHold hold() const { return {id, token}; }
};
/// Adds `{id}` and the header with the lease.
template <class P>
http::Parameters<P> holdParameters() {
  http::Parameters<P> parameters;
  parameters.path("id", &HoldPath::id, schema::string(), "Id of the job.")
      .header("Lease-Token", &HoldPath::token, schema::string(), "As the lease said it.");
  return parameters;
}

/// Trainers are administrators of the deployment, and service accounts of the organization that
/// were made for it: described as `trainer`, or `trainer …`.
/// @return kPermissionDenied, kUnavailable.
Result<void> requireTrainer(const TrainingServices& services, const http::Context& context);
/// The same for what names a job: nobody else learns whether it is there.
/// @return kNotFound, kUnavailable.
Result<void> requireTrainerOfJob(const TrainingServices& services, const http::Context& context);

}  // namespace spindle::training
