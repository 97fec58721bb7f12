#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "clickhouse/client/client.h"
#include "clickhouse/schema/table_options.h"

namespace spindle::clickhouse {

// The mark of a database that receives the data of another deployment: a table that exists until
// the move is complete. All functions block and return the errors of the client.

/// Returns the name of the move whose data the database receives, or nothing.
Result<std::optional<std::string>> unfinishedMove(Client& client);

/// Creates the mark. `move` is the name of the move.
Result<void> markMove(Client& client, const TableOptions& options, std::string_view move);

/// Removes the mark, if it exists.
Result<void> unmarkMove(Client& client, const TableOptions& options);

}  // namespace spindle::clickhouse
