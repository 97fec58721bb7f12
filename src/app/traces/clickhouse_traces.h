#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "agents/clickhouse/clickhouse_span_store.h"
#include "app/traces/trace_stores.h"
#include "clickhouse/client/client.h"
#include "clickhouse/schema/migration.h"
#include "feedback/clickhouse/clickhouse_feedback_store.h"
#include "inference/clickhouse/clickhouse_usage_store.h"
#include "runs/clickhouse/clickhouse_history_store.h"
#include "storage/database/database.h"
#include "tracing/clickhouse/call_locks.h"
#include "tracing/clickhouse/clickhouse_call_store.h"

namespace spindle::app {

/// Stores in a ClickHouse database, which several servers can share.
class ClickHouseTraces final : public TraceStores {
 public:
  /// Creates missing tables. Refuses a data folder with calls of the embedded store, because the
  /// server could not find them.
  /// @throws std::runtime_error with a message for the operator.
  explicit ClickHouseTraces(TraceStorePorts ports);

  tracing::CallStore& calls() override { return calls_; }
  agents::SpanStore& spans() override { return spans_; }
  feedback::FeedbackStore& feedback() override { return feedback_; }
  runs::HistoryStore& history() override { return history_; }
  inference::UsageStore& usage() override { return usage_; }
  inference::ClickHouseUsageStore* usageWithTotals() override { return &usage_; }
  void removeProjects(const std::function<bool(std::string_view project_id)>& is_deleted) override;
  /// Those of spans: calls contain their resources.
  Result<std::int64_t> removeUnusedResources() override {
    return spans_.removeUnusedResources(ports_.clock.now());
  }
  Result<void> check() override { return probe_.execute("SELECT 1 FORMAT Null"); }
  Result<std::unique_ptr<columnar::StoreHold>> hold() override {
    return std::unique_ptr<columnar::StoreHold>();
  }

 private:
  const TraceStorePorts ports_;
  clickhouse::Client client_;
  clickhouse::Client probe_;  ///< gives up soon, and never waits for connections of client_
  const std::vector<clickhouse::AreaSchema> tables_;
  MetricRegistry lock_metrics_;  ///< not published: the names are those of the metadata
  const std::unique_ptr<storage::Database> lock_database_;  ///< null without PostgreSQL
  const std::unique_ptr<tracing::CallLocks> locks_;
  feedback::ClickHouseFeedbackStore feedback_;
  tracing::ClickHouseCallStore calls_;
  agents::ClickHouseSpanStore spans_;
  runs::ClickHouseHistoryStore history_;
  inference::ClickHouseUsageStore usage_;
  std::optional<std::chrono::steady_clock::time_point>
      next_project_search_;  ///< used only by removeProjects()
};

}  // namespace spindle::app
