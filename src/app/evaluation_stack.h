#pragma once

#include "app/object_stack.h"
#include "app/tracing_stack.h"
#include "base/time.h"
#include "evaluation/evaluation_api.h"
#include "evaluation/object_publisher.h"
#include "evaluation/run_recorder.h"

namespace spindle::app {

/// Evaluations, over objects and calls. The stacks below must outlive it.
class EvaluationStack {
 public:
  EvaluationStack(ObjectStack& objects, TracingStack& tracing, const Clock& clock);

  evaluation::EvaluationServices services();

 private:
  ObjectStack& objects_;
  TracingStack& tracing_;

 public:
  evaluation::ObjectPublisher publisher;
  evaluation::RunRecorder recorder;
};

}  // namespace spindle::app
