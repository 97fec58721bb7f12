#pragma once

#include "agents/store/span_sink.h"
#include "base/core/time.h"
#include "evaluation/scoring/model_port.h"
#include "tracing/metadata/retention_repository.h"

namespace spindle::app {

/// Forwards requests to a model and records the completions of judges as agent spans, each in its
/// own trace. Only logs a span that cannot be written. Thread-safe if its parts are.
class RecordingModel final : public evaluation::ModelPort {
 public:
  /// All arguments must outlive this object.
  RecordingModel(evaluation::ModelPort& model,
                 agents::SpanSink& spans,
                 tracing::RetentionRepository& retention,
                 const Clock& clock)
      : model_(model), spans_(spans), retention_(retention), clock_(clock) {}

  Result<evaluation::ModelAnswer> complete(const evaluation::ModelRequest& request,
                                           const std::stop_token& stop) override;

 private:
  Result<void> record(const evaluation::ModelRequest& request,
                      const Result<evaluation::ModelAnswer>& answer,
                      Timestamp started_at);

  evaluation::ModelPort& model_;
  agents::SpanSink& spans_;
  tracing::RetentionRepository& retention_;
  const Clock& clock_;
};

}  // namespace spindle::app
