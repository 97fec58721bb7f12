#pragma once

#include <cstdint>

#include "clickhouse/client/client.h"
#include "clickhouse/rows/row_table.h"
#include "clickhouse/schema/migration.h"
#include "clickhouse/schema/table_options.h"

namespace spindle::runs {

/// The two kinds of rows of a block.
inline constexpr std::uint8_t kHistoryLines = 0;
inline constexpr std::uint8_t kHistoryNumbers = 1;

/// Returns the table of blocks.
clickhouse::AreaSchema historyTables(const clickhouse::TableOptions& options);

/// Returns the table and all columns of its rows.
const clickhouse::InsertTarget& historyTarget();

/// Returns the description of the blocks for copies from and to the embedded store. The time at
/// which a copied block was stored is known by the hour only. The keys of its series follow from
/// their names.
clickhouse::RowTable historyRowTable();

}  // namespace spindle::runs
