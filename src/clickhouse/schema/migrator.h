#pragma once

#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "clickhouse/client/client.h"
#include "clickhouse/schema/migration.h"
#include "clickhouse/schema/table_options.h"

namespace spindle::clickhouse {

/// The oldest release of ClickHouse that the stores are written for.
inline constexpr ServerVersion kOldestServer{24, 8};

/// Applies the missing migrations of all areas, in order. Safe when several nodes do it at once.
/// Blocks. @return kPreconditionFailed for an old server, for a database that a newer program
/// changed, and for a step that differs from the recorded one; kInvalidArgument for invalid
/// options; the errors of the client. The message is for the operator.
Result<void> migrate(Client& client,
                     const TableOptions& options,
                     const std::vector<AreaSchema>& areas,
                     Timestamp now);

/// Records `owner` as the deployment whose tables migrate() has created, or compares it with the
/// recorded one: a deployment deletes the rows of projects that it does not know. Blocks.
/// @return kPreconditionFailed for the tables of another owner, with a message for the operator;
/// the errors of the client.
Result<void> claimTables(Client& client, std::string_view owner, Timestamp now);

/// Checks without changing anything that all areas have exactly their migrations, for programs that
/// only read. Blocks. @return as migrate(); also kPreconditionFailed for a database that lacks a
/// step.
Result<void> checkMigrated(Client& client,
                           const TableOptions& options,
                           const std::vector<AreaSchema>& areas);

}  // namespace spindle::clickhouse
