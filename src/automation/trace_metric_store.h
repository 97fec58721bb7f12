#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace spindle::events {
class Outbox;
}
namespace spindle::storage {
class Database;
}

namespace spindle::automation {

/// What the calls of a project come to in a time: `cost`, `error_rate` or `latency_ms`. Nothing
/// where there were none.
using TraceMeasure = std::function<Result<std::optional<double>>(
    const std::string& project_id, std::string_view metric, Timestamp from, Timestamp to)>;

/// Holds what was traced against the conditions of automations, whenever it is asked to look. A
/// condition that comes to hold raises an event for its automation alone, and none again before it
/// has ceased to hold. Thread-safe; blocks on the database.
class TraceMetricStore {
 public:
  /// All but the measure must outlive this.
  TraceMetricStore(storage::Database& database,
                   events::Outbox& outbox,
                   TraceMeasure measure,
                   const Clock& clock)
      : database_(database), outbox_(outbox), measure_(std::move(measure)), clock_(clock) {}

  /// @return how many events were raised
  Result<std::int64_t> look();

 private:
  struct Place;
  struct Watch;

  Result<std::vector<Watch>> watches();
  /// Notes whether the condition holds. @return whether an event was raised
  Result<bool> settle(const Watch& watch, const Place& place, std::optional<double> value);

  storage::Database& database_;
  events::Outbox& outbox_;
  const TraceMeasure measure_;
  const Clock& clock_;
};

}  // namespace spindle::automation
