#pragma once

#include <cstdint>
#include <vector>

#include "base/core/result.h"
#include "columnar/duckdb/connection.h"
#include "columnar/journal/family.h"

namespace spindle::columnar {

/// Migrates a file of format 1 (one table per family and partition) to format 2. Moves tables of
/// fewer than `own_table_rows` rows into the shared tables, several per transaction, and converts
/// `store_runs` to statistics. Resumes an interrupted migration.
Result<void> migrateToSharedTables(Connection& connection,
                                   const std::vector<Family>& families,
                                   std::int64_t own_table_rows);

}  // namespace spindle::columnar
