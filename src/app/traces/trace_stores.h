#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "agents/store/ended_turn_tracker.h"
#include "agents/store/span_store.h"
#include "base/core/metrics.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "columnar/store/store_hold.h"
#include "config/settings.h"
#include "feedback/feedback_store.h"
#include "inference/usage/usage_store.h"
#include "live/change_log.h"
#include "query/dialect.h"
#include "query/field.h"
#include "runs/history_store.h"
#include "storage/folder/data_folder.h"
#include "tracing/store/call_changes.h"
#include "tracing/store/call_store.h"
#include "tracing/store/ref_values.h"

namespace spindle::inference {
class ClickHouseUsageStore;
}

namespace spindle::app {

/// The dependencies of the stores of traces. All are thread-safe and must outlive the stores.
struct TraceStorePorts {
  const config::Settings& settings;
  const storage::DataFolder& folder;
  MetricRegistry& metrics;
  const Clock& clock;
  tracing::RefValues& ref_values;
  /// Returns the field of annotation queues of the calls of a project.
  std::function<Result<std::unique_ptr<query::Fields>>(std::string_view project_id,
                                                       const query::Dialect& dialect)>
      queue_fields;
  tracing::CallChanges call_changes;
  agents::EndedTurnTracker& ended_turns;
  live::ChangeLog& changes;
  /// Names the deployment in stores outside of its data folder.
  std::string owner;
};

/// The stores of calls, spans, feedback, run history and gateway usage. All are in one engine.
class TraceStores {
 public:
  virtual ~TraceStores() = default;

  virtual tracing::CallStore& calls() = 0;
  virtual agents::SpanStore& spans() = 0;
  virtual feedback::FeedbackStore& feedback() = 0;
  virtual runs::HistoryStore& history() = 0;
  virtual inference::UsageStore& usage() = 0;
  /// Returns usage() if it has totals that jobs compute; else null.
  virtual inference::ClickHouseUsageStore* usageWithTotals() = 0;

  /// Deletes the data of deleted projects, except for usage.
  virtual void removeProjects(
      const std::function<bool(std::string_view project_id)>& is_deleted) = 0;
  /// Deletes OpenTelemetry resources that no span or call refers to. @return their number.
  virtual Result<std::int64_t> removeUnusedResources() = 0;
  /// Returns whether the engine can be reached. Blocks on it. @return kUnavailable and others.
  virtual Result<void> check() = 0;
  /// Keeps the files of the stores in the data folder unchanged for copying. Null if there are
  /// none.
  virtual Result<std::unique_ptr<columnar::StoreHold>> hold() = 0;
};

/// Opens the stores of the settings: embedded, or in ClickHouse, where missing tables are created.
/// @throws std::runtime_error with a message for the operator.
std::unique_ptr<TraceStores> openTraceStores(TraceStorePorts ports);

}  // namespace spindle::app
