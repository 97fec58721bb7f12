#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/sql_text.h"

namespace spindle::storage {

enum class Engine { kSqlite, kPostgres };

struct NumberedSql {
  std::string sql;
  std::size_t parameters = 0;
};

/// Replaces question marks outside quotes by :p1, :p2, …, as SOCI requires for PostgreSQL.
NumberedSql numberParameters(std::string_view sql);

/// Splits a script at semicolons outside quotes and removes `--` comments.
std::vector<SqlText> splitScript(SqlView script);

/// Translates a schema statement to the SQL of an engine. Schemas use BIGINT, DOUBLE PRECISION and
/// TEXT. TEXT compares and sorts by bytes on both engines, for every locale of the database. The
/// column type `{serial_key}` is a primary key with ascending automatic numbers.
SqlText schemaFor(Engine engine, SqlView statement);

}  // namespace spindle::storage
