#include "app/traces/clickhouse_tables.h"

#include <stdexcept>

#include "agents/clickhouse/span_table.h"
#include "feedback/clickhouse/feedback_table.h"
#include "inference/clickhouse/usage_table.h"
#include "runs/clickhouse/history_table.h"
#include "tracing/clickhouse/call_table.h"

namespace spindle::app {

std::vector<clickhouse::AreaSchema> clickHouseAreas(const clickhouse::TableOptions& options) {
  return {tracing::callTables(options), agents::spanTables(options),
          feedback::feedbackTables(options), runs::historyTables(options),
          inference::usageTables(options)};
}

std::vector<clickhouse::RowTable> clickHouseRowTables() {
  return {tracing::callRowTable(), feedback::feedbackRowTable(), agents::spanRowTable(),
          runs::historyRowTable(), inference::usageRowTable(),   agents::resourceRowTable()};
}

void requireClickHouse(const config::TraceSettings& traces, const Result<void>& result) {
  if (result) return;
  throw std::runtime_error("cannot use the ClickHouse database \"" + traces.clickhouse_database +
                           "\" at " + traces.clickhouse_url + ": " + result.error().message());
}

}  // namespace spindle::app
