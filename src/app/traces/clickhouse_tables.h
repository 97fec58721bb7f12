#pragma once

#include <string>
#include <vector>

#include "base/core/result.h"
#include "clickhouse/rows/row_table.h"
#include "clickhouse/schema/migration.h"
#include "clickhouse/schema/table_options.h"
#include "config/settings.h"

namespace spindle::app {

/// Returns the tables of all areas.
std::vector<clickhouse::AreaSchema> clickHouseAreas(const clickhouse::TableOptions& options);

/// Returns the descriptions of all rows for copies from and to the embedded store, in the order of
/// FamilyIndex.
std::vector<clickhouse::RowTable> clickHouseRowTables();

/// @throws std::runtime_error with the name of the ClickHouse database and the error, if any.
void requireClickHouse(const config::TraceSettings& traces, const Result<void>& result);

}  // namespace spindle::app
