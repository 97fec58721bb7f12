#pragma once

#include <memory>

#include "agents/columnar/columnar_span_store.h"
#include "app/traces/trace_stores.h"
#include "columnar/store/store.h"
#include "feedback/store/columnar_feedback_store.h"
#include "inference/usage/columnar_usage_store.h"
#include "runs/store/columnar_history_store.h"
#include "tracing/store/columnar_call_store.h"

namespace spindle::app {

/// Stores in the columnar store of the data folder.
class EmbeddedTraces final : public TraceStores {
 public:
  /// @throws std::runtime_error with a message for the operator.
  explicit EmbeddedTraces(TraceStorePorts ports);

  tracing::CallStore& calls() override { return calls_; }
  agents::SpanStore& spans() override { return spans_; }
  feedback::FeedbackStore& feedback() override { return feedback_; }
  runs::HistoryStore& history() override { return history_; }
  inference::UsageStore& usage() override { return usage_; }
  inference::ClickHouseUsageStore* usageWithTotals() override { return nullptr; }
  void removeProjects(const std::function<bool(std::string_view project_id)>& is_deleted) override;
  Result<std::int64_t> removeUnusedResources() override;
  Result<void> check() override;
  Result<std::unique_ptr<columnar::StoreHold>> hold() override { return store_->hold(); }

 private:
  const TraceStorePorts ports_;
  const std::unique_ptr<columnar::Store> store_;
  feedback::ColumnarFeedbackStore feedback_;
  tracing::ColumnarCallStore calls_;
  agents::ColumnarSpanStore spans_;
  runs::ColumnarHistoryStore history_;
  inference::ColumnarUsageStore usage_;
};

}  // namespace spindle::app
