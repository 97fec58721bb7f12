#pragma once

#include <string>

#include "clickhouse/client/client.h"
#include "clickhouse/rows/row_table.h"
#include "clickhouse/schema/migration.h"
#include "clickhouse/schema/table_options.h"
#include "inference/usage/usage.h"

namespace spindle::inference {

/// Returns the tables of usage: the requests, their totals by hour, and how far these go.
clickhouse::AreaSchema usageTables(const clickhouse::TableOptions& options);

/// Returns the table and the columns of rows that putUsage() writes.
const clickhouse::InsertTarget& usageTarget();

/// Returns the description of the requests for copies from and to the embedded store. The totals by
/// hour follow from them: ClickHouse notes when it stores a copied request, as for any other.
clickhouse::RowTable usageRowTable();

/// Appends a row in the format RowBinary. ClickHouse adds the time at which it stores the row. If a
/// request is stored twice, the first row counts.
void putUsage(std::string& out, const UsageRecord& record);

}  // namespace spindle::inference
