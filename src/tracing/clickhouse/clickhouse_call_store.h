#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/core/metrics.h"
#include "base/core/time.h"
#include "clickhouse/client/client.h"
#include "clickhouse/inserts/grouped_inserts.h"
#include "query/field.h"
#include "tracing/clickhouse/call_locks.h"
#include "tracing/clickhouse/known_call_ids.h"
#include "tracing/store/call_changes.h"
#include "tracing/store/call_store.h"
#include "tracing/store/ref_values.h"

namespace spindle::tracing {

/// Data outside of the calls that queries can refer to. All thread-safe.
struct ClickHouseCallJoins {
  RefValues& ref_values;
  /// Returns the `feedback.` fields of the calls `c` of one project. Null: there are none.
  std::function<std::unique_ptr<query::Fields>(std::string_view project)> feedback_fields = {};
  /// Returns the field `annotation_queue_items.queue_id` of the calls `c` of one project. Null:
  /// there is none.
  std::function<Result<std::unique_ptr<query::Fields>>(std::string_view project)> queue_fields = {};
};

/// Stores calls in ClickHouse, for any number of nodes.
///
/// A write is stored when ClickHouse has acknowledged it. The calls of one write are one block of
/// one INSERT per partition. A view is not a snapshot: each of its statements sees the newest
/// calls.
class ClickHouseCallStore final : public CallStore {
 public:
  /// The tables of callTables() must exist before the first call of a function. All parameters, and
  /// what the joins refer to, must outlive this object.
  ClickHouseCallStore(clickhouse::Client& client,
                      CallLocks& locks,
                      ClickHouseCallJoins joins,
                      const Clock& clock,
                      MetricRegistry& metrics,
                      const clickhouse::GroupOptions& options = {},
                      CallChanges changes = {});

  Result<void> write(std::string_view project_id, std::vector<CallPart> parts) override;
  Result<std::unique_ptr<CallView>> view(const ProjectScope& project) override;
  /// Also unknown to every later write: an expired call that is sent again stays deleted.
  Result<std::int64_t> removeExpired(Timestamp now) override;

 private:
  clickhouse::Client& client_;
  CallLocks& locks_;
  const ClickHouseCallJoins joins_;
  const Clock& clock_;
  const CallChanges changes_;
  KnownCallIds known_ids_;
  clickhouse::GroupedInserts inserts_;
};

}  // namespace spindle::tracing
