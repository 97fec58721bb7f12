#pragma once

#include "base/core/result.h"
#include "evaluation/recording/run_recorder.h"

namespace spindle::events {
class Outbox;
}
namespace spindle::identity {
class ProjectRepository;
class UserRepository;
}  // namespace spindle::identity

namespace spindle::evaluation {

/// Raises EVALUATION_FINISHED for finished runs. All events of one run have the same change id, so
/// that an automation runs only for the first one. Thread-safe; blocks on the database.
class FinishedRunPublisher {
 public:
  /// All arguments must outlive this object.
  FinishedRunPublisher(events::Outbox& outbox,
                       identity::ProjectRepository& projects,
                       identity::UserRepository& users)
      : outbox_(outbox), projects_(projects), users_(users) {}

  Result<void> raise(const FinishedRun& run);

 private:
  events::Outbox& outbox_;
  identity::ProjectRepository& projects_;
  identity::UserRepository& users_;
};

}  // namespace spindle::evaluation
