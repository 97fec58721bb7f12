#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "storage/database/database.h"
#include "storage/database/migration.h"

namespace spindle::storage {

/// The record in a database that data was moved into it from another place. Table `storage_move`.
struct MoveRecord {
  std::string source;     ///< the place that the data comes from, as the operator named it
  bool prepared = false;  ///< the tables exist and contained nothing before the copy
  std::optional<Timestamp> finished_at;
};

/// Returns the record of the last move into the database, or nothing. The table must exist.
Result<std::optional<MoveRecord>> readMove(Database& database);

/// Records that a move into the database has begun. Servers refuse to start until it has finished.
Result<void> beginMove(Database& database, const std::string& source, Timestamp now);
/// Records in a transaction that the tables are ready for the copy.
Result<void> markPrepared(Session& session);
/// Records that everything was moved and verified.
Result<void> finishMove(Database& database, Timestamp now);

/// Throws when a move into the database has begun and not finished. @throws std::runtime_error
void requireNoUnfinishedMove(Database& database);

/// Returns the names of all tables, also of other programs.
Result<std::vector<std::string>> tableNames(Database& database);

/// Returns true if the database has no tables except those that a move creates first.
Result<bool> isUnused(Database& database);

/// Throws unless the database has exactly these migrations. @throws std::runtime_error with a
/// remedy. `name` is the place of the database.
void requireCurrentSchema(Database& database,
                          const std::vector<AreaSchema>& areas,
                          const std::string& name);

}  // namespace spindle::storage
