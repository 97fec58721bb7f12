#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/migrate/trace_rows.h"
#include "base/core/metrics.h"
#include "base/core/time.h"
#include "clickhouse/client/client.h"
#include "clickhouse/inserts/grouped_inserts.h"
#include "clickhouse/rows/row_reader.h"
#include "clickhouse/rows/row_table.h"
#include "clickhouse/schema/migration.h"
#include "clickhouse/schema/table_options.h"
#include "config/settings.h"

namespace spindle::app {

/// The rows of a trace store in ClickHouse. Positions are keys of rows. A written row replaces one
/// that an earlier run wrote, and is replaced by writes of servers.
class ClickHouseTraceRows final : public TraceRows {
 public:
  /// Creates missing tables if `create` is true; else requires them. The other arguments must
  /// outlive this object. @throws std::runtime_error with a message for the operator.
  ClickHouseTraceRows(const config::TraceSettings& traces,
                      bool create,
                      MetricRegistry& metrics,
                      const Clock& clock);

  Result<std::vector<std::string>> projects() override;
  Result<std::int64_t> count() override;
  Result<void> read(columnar::FamilyId family,
                    std::string_view project,
                    const std::string& after,
                    RowForm form,
                    const Take& take) override;
  RowForm writtenForm() const override { return RowForm::kPortable; }
  Result<void> write(columnar::FamilyId family,
                     std::string_view project,
                     std::vector<columnar::Row> rows) override;
  Result<void> clear() override;
  std::size_t expiryColumn(columnar::FamilyId family) const override {
    return tables_[family].expiry;
  }
  Result<bool> beginMove(const std::string& move, bool is_known) override;
  Result<void> endMove() override;

 private:
  const clickhouse::TableOptions table_options_;
  clickhouse::Client client_;
  const std::vector<clickhouse::AreaSchema> areas_;
  const std::vector<clickhouse::RowTable> tables_;
  std::vector<std::unique_ptr<clickhouse::GroupedInserts>> inserts_;  ///< by family
  const Timestamp now_;  ///< the version of all written rows
};

}  // namespace spindle::app
