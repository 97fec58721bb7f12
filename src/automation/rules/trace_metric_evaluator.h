#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "storage/database/forward.h"

namespace spindle::events {
class Outbox;
}

namespace spindle::automation {

/// Returns a metric of the calls of a project in a period: `cost`, `error_rate` or `latency_ms`.
/// Nothing if the period has no calls.
using TraceMeasure = std::function<Result<std::optional<double>>(
    const std::string& project_id, std::string_view metric, Timestamp from, Timestamp to)>;

/// Evaluates the trace metric conditions of automations on request. A condition that becomes true
/// raises an event for its automation only, and raises the next one only after it was false.
/// Thread-safe; blocks on the database.
class TraceMetricEvaluator {
 public:
  /// All except `measure` must outlive this object.
  TraceMetricEvaluator(storage::Database& database,
                       events::Outbox& outbox,
                       TraceMeasure measure,
                       const Clock& clock)
      : database_(database), outbox_(outbox), measure_(std::move(measure)), clock_(clock) {}

  /// Evaluates all conditions now. @return the number of raised events.
  Result<std::int64_t> check();

 private:
  struct WatchedProject;
  struct Watch;

  Result<std::vector<Watch>> watches();
  /// Stores whether the condition is true. @return whether an event was raised.
  Result<bool> recordState(const Watch& watch,
                           const WatchedProject& watched,
                           std::optional<double> value);

  storage::Database& database_;
  events::Outbox& outbox_;
  const TraceMeasure measure_;
  const Clock& clock_;
};

}  // namespace spindle::automation
