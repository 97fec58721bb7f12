#pragma once

#include <string>
#include <vector>

#include "base/core/result.h"
#include "clickhouse/client/client.h"
#include "clickhouse/schema/migration.h"
#include "clickhouse/schema/table_options.h"

namespace spindle::clickhouse {

// The rows of projects in the tables of AreaSchema::project_tables. All functions block.

/// Returns the projects that have rows, in any order. Reads the column of all rows: rarely.
/// @return the errors of the client.
Result<std::vector<std::string>> projectsIn(Client& client, const std::vector<AreaSchema>& areas);

/// Deletes the rows of projects, with one statement for each table. Returns when they are
/// invisible; ClickHouse erases them when it merges their parts. @return the errors of the client.
Result<void> removeProjects(Client& client,
                            const std::vector<AreaSchema>& areas,
                            const std::vector<std::string>& project_ids);

/// Deletes all rows of all tables of the areas, also those that belong to no project. Blocks.
/// @return the errors of the client.
Result<void> removeAll(Client& client,
                       const TableOptions& options,
                       const std::vector<AreaSchema>& areas);

}  // namespace spindle::clickhouse
