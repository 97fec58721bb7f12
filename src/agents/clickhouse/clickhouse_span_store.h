#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agents/clickhouse/clickhouse_span_rows.h"
#include "agents/clickhouse/known_resources.h"
#include "agents/sql/sql_span_store.h"
#include "agents/store/ended_turn.h"
#include "base/core/metrics.h"
#include "base/core/time.h"
#include "clickhouse/client/client.h"
#include "clickhouse/inserts/grouped_inserts.h"

namespace spindle::live {
class ChangeLog;
}

namespace spindle::agents {

class EndedTurnTracker;

/// Stores spans in ClickHouse, for any number of servers.
///
/// A write is stored when ClickHouse has acknowledged it. A span that is sent again replaces the
/// old one if it starts in the same minute; otherwise lists contain both, and traces the newer one.
/// Each statement of a query sees the newest spans.
class ClickHouseSpanStore final : public SqlSpanStore, public SharedTurnLog {
 public:
  /// The tables of spanTables() must exist. The references, `turns` and `changes` must outlive this
  /// object. `turns` receives the turns that end, for their events; without it, none is announced.
  ClickHouseSpanStore(clickhouse::Client& client,
                      SpanJoins joins,
                      const Clock& clock,
                      MetricRegistry& metrics,
                      const clickhouse::GroupOptions& options = {},
                      EndedTurnTracker* turns = nullptr,
                      live::ChangeLog* changes = nullptr);

  Result<void> write(std::string_view project_id, std::vector<AgentSpan> spans) override;
  /// ClickHouse also deletes expired spans by itself when it merges parts.
  Result<std::int64_t> removeExpired(Timestamp now) override;
  Result<std::vector<std::string>> projects() const override;
  Result<std::vector<EndedTurn>> endedTurns(std::string_view project_id,
                                            std::int64_t after,
                                            int limit) const override;
  const SharedTurnLog* sharedTurns() const override { return this; }
  Result<std::vector<EndedTurn>> turnsStored(std::int64_t after,
                                             std::int64_t until,
                                             std::size_t limit) const override;
  Result<std::vector<AgentSpan>> readTraces(
      std::string_view project_id, const std::vector<std::string>& trace_ids) const override;
  Result<std::vector<OutlinedSpan>> readOutline(std::string_view project_id,
                                                const std::string& trace_id,
                                                std::int64_t limit) const override;
  Result<std::unique_ptr<SpanRows>> rows(std::string_view project_id) const override;

  /// Deletes the resources that no span refers to and that no request contained in the day before
  /// `now`. @return their number.
  Result<std::int64_t> removeUnusedResources(Timestamp now);

 private:
  /// Stores the resources of spans that this process has not stored recently.
  Result<void> writeResources(std::string_view project_id, const std::vector<AgentSpan>& spans);

  /// Returns a time in microseconds that differs from all earlier ones of this process.
  std::int64_t nextVersion(std::int64_t now);

  clickhouse::Client& client_;
  const SpanJoins joins_;
  const Clock& clock_;
  EndedTurnTracker* const turns_;
  live::ChangeLog* const changes_;
  std::atomic<std::int64_t> last_version_ = 0;
  KnownResources known_resources_;
  clickhouse::GroupedInserts resource_inserts_;
  clickhouse::GroupedInserts inserts_;
};

}  // namespace spindle::agents
