#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "columnar/connection.h"
#include "columnar/family.h"

namespace spindle::columnar {

/// Brings a file of format 1 (a table for each family and partition) to format 2: moves tables of
/// fewer than `own_table_rows` rows into the shared ones, some at a time in transactions of their
/// own, and turns `store_runs` into statistics. Continues where an interrupted call ended.
Result<void> migrateToSharedTables(Connection& connection,
                                   const std::vector<Family>& families,
                                   std::int64_t own_table_rows);

}  // namespace spindle::columnar
