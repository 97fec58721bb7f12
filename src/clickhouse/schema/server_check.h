#pragma once

#include "base/core/result.h"
#include "clickhouse/client/client.h"
#include "clickhouse/schema/table_options.h"

namespace spindle::clickhouse {

/// Checks that the release of the server is at least kOldestServer. @return the release;
/// kPreconditionFailed for an older one; the errors of the client.
Result<ServerVersion> checkRelease(Client& client);

/// Creates a table `spindle_check_<random>` with these options, writes a row, reads it and drops
/// the table. Blocks. @return the release of the server; as checkRelease(); kInvalidArgument for
/// invalid options; kUnavailable if the row cannot be read.
Result<ServerVersion> checkServer(Client& client, const TableOptions& options);

}  // namespace spindle::clickhouse
