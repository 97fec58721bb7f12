#pragma once

#include <string_view>
#include <vector>

#include "base/core/sql_text.h"

namespace spindle::storage {

/// One step of an area's schema. Applied once, in its own transaction; never changed after a
/// release.
struct Migration {
  int version;            ///< 1, 2, 3, … within the area
  std::string_view name;  ///< a short description for the operator
  SqlView sql;  ///< statements, each with a final semicolon; see schemaFor() for the types
};

/// The database schema of one area. The texts are literals.
struct AreaSchema {
  std::string_view area;
  std::vector<Migration> migrations;  ///< in order of version, without gaps
  /// Tables whose rows are cached under Database::changeToken(). With PostgreSQL, the token notices
  /// commits of other processes in these tables only.
  std::vector<SqlView> cached_tables = {};
  /// Tables with work for background threads. With PostgreSQL, an insert is announced to all
  /// processes; see Database::kInsertedTopic.
  std::vector<SqlView> queue_tables = {};
};

}  // namespace spindle::storage
