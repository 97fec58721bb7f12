#pragma once

#include "base/result.h"
#include "evaluation/run_recorder.h"

namespace spindle::events {
class Outbox;
}
namespace spindle::identity {
class ProjectRepository;
class UserRepository;
}  // namespace spindle::identity

namespace spindle::evaluation {

/// Raises EVALUATION_FINISHED for runs that finished. Every event of one run is of the same change:
/// an automation answers the first alone. Thread-safe; blocks on the database.
class FinishedRunStore {
 public:
  /// Everything must outlive this.
  FinishedRunStore(events::Outbox& outbox,
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
