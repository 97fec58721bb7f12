#pragma once

#include "app/wiring/identity_stack.h"
#include "app/wiring/object_stack.h"
#include "app/wiring/tracing_stack.h"
#include "base/core/time.h"
#include "evaluation/recording/finished_run_publisher.h"
#include "evaluation/recording/object_publisher.h"
#include "evaluation/recording/run_recorder.h"
#include "evaluation/routes/evaluation_api.h"
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
