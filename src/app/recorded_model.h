#pragma once

#include "agents/span_sink.h"
#include "base/time.h"
#include "evaluation/model_port.h"
#include "tracing/retention_repository.h"

namespace spindle::app {

/// A model whose answers to judges are also kept as steps of agents, each in a trace of its own.
/// That a row cannot be written is logged, no more. Thread-safe as what it is made of.
class RecordedModel final : public evaluation::ModelPort {
 public:
  /// All must outlive this.
  RecordedModel(evaluation::ModelPort& model,
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
