#include "app/wiring/evaluation_stack.h"

namespace spindle::app {
namespace {

evaluation::RecorderPorts recorderPorts(TracingStack& tracing,
                                        evaluation::FinishedRunPublisher& finished,
                                        const Clock& clock) {
  const tracing::TracingServices calls = tracing.services();
  const feedback::FeedbackServices feedback = tracing.feedbackServices();
  return {
      .calls = calls.calls,
      .feedback = feedback.store,
      .feedback_validator = feedback.feedback_validator,
      .ref_projects = calls.ref_projects,
      .media_store = calls.media_store,
      .retention_days = [&retention = calls.retention](
                            std::string_view project) { return retention.days(project); },
      .clock = clock,
      .finished = [&finished](const evaluation::FinishedRun& run) { return finished.raise(run); }};
}

}  // namespace

EvaluationStack::EvaluationStack(IdentityStack& identity,
                                 ObjectStack& objects,
                                 TracingStack& tracing,
                                 events::Outbox& outbox,
                                 const Clock& clock)
    : objects_(objects),
      tracing_(tracing),
      finished_(outbox, identity.projects, identity.users),
      publisher(objects.objects, objects.tables, objects.files),
      recorder(recorderPorts(tracing, finished_, clock)) {}

evaluation::EvaluationServices EvaluationStack::services() {
  return {objects_.services(), tracing_.services(), publisher, recorder};
}

}  // namespace spindle::app
