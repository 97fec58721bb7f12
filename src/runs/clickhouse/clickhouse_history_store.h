#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/core/metrics.h"
#include "clickhouse/client/client.h"
#include "clickhouse/inserts/grouped_inserts.h"
#include "runs/history_store.h"

namespace spindle::runs {

/// Stores history in ClickHouse, for any number of nodes. A block is one row with the lines, and
/// one row per metric with its packed numbers. A block is stored when ClickHouse has acknowledged
/// all of its rows.
class ClickHouseHistoryStore final : public HistoryStore {
 public:
  /// The tables of historyTables() must exist. All parameters must outlive this object.
  ClickHouseHistoryStore(clickhouse::Client& client,
                         MetricRegistry& metrics,
                         const clickhouse::GroupOptions& options = {});

  Result<void> write(std::string_view project_id,
                     std::int64_t run_number,
                     Stream stream,
                     std::string_view block,
                     const FlatRows& rows,
                     Timestamp now) override;
  Result<std::string> lines(std::string_view project_id, std::string_view block) const override;
  Result<std::unordered_set<std::string>> blocksWith(
      const HistoryRange& place, const std::vector<std::string>& keys) const override;
  Result<std::vector<StoredSeries>> series(const HistoryRange& place,
                                           const std::string& key,
                                           std::int64_t min_step,
                                           std::int64_t max_step) const override;
  Result<void> remove(std::string_view project_id, std::int64_t run_number) override;

 private:
  clickhouse::Client& client_;
  clickhouse::GroupedInserts inserts_;
};

}  // namespace spindle::runs
