#include "evaluation/recording/finished_run_publisher.h"

#include "evaluation/recording/finished_run_data.h"
#include "events/outbox.h"
#include "identity/store/project_repository.h"
#include "identity/store/user_repository.h"

namespace spindle::evaluation {

Result<void> FinishedRunPublisher::raise(const FinishedRun& run) {
  const identity::Project project = TRY(projects_.findById(run.scope.project.id));
  events::NewEvent event;
  event.type = events::EventType::kEvaluationFinished;
  event.subject.team_id = project.team_id;
  event.subject.project_id = project.id;
  event.author_id = run.scope.user_id;
  // A deleted user has no name.
  if (const Result<identity::User> user = users_.find(run.scope.user_id)) {
    event.author = user->username;
  }
  event.data = finishedRunData(run);
  event.change_id = "evaluation:" + std::string(run.run_id);
  TRY(outbox_.write([&](storage::Session& session) { return outbox_.append(session, event); }));
  return {};
}

}  // namespace spindle::evaluation
