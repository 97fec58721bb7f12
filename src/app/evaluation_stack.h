#pragma once

#include "app/identity_stack.h"
#include "app/object_stack.h"
#include "app/tracing_stack.h"
#include "base/time.h"
#include "evaluation/evaluation_api.h"
#include "evaluation/finished_run_publisher.h"
#include "evaluation/object_publisher.h"
#include "evaluation/run_recorder.h"
#include "events/outbox.h"

namespace spindle::app {

/// Evaluations of objects and calls. The stacks passed to the constructor must outlive this object.
class EvaluationStack {
 public:
  EvaluationStack(IdentityStack& identity,
                  ObjectStack& objects,
                  TracingStack& tracing,
                  events::Outbox& outbox,
                  const Clock& clock);

  evaluation::EvaluationServices services();

 private:
  ObjectStack& objects_;
  TracingStack& tracing_;
  evaluation::FinishedRunPublisher finished_;

 public:
  evaluation::ObjectPublisher publisher;
  evaluation::RunRecorder recorder;
};

}  // namespace spindle::app
