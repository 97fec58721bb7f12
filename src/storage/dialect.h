#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/sql_text.h"

namespace spindle::storage {

enum class Engine { kSqlite, kPostgres };

struct NumberedSql {
  std::string sql;
  std::size_t parameters = 0;
};

/// The statement with its question marks (outside quotes) as :p1, :p2, …, as SOCI wants them for
/// PostgreSQL.
NumberedSql numberParameters(std::string_view sql);

/// The statements of a script, split at semicolons outside quotes and without `--` comments.
std::vector<SqlText> splitScript(SqlView script);

/// A schema statement in the words of an engine. Schemas are written with BIGINT, DOUBLE PRECISION
/// and TEXT. TEXT compares and sorts by its bytes on both engines, whatever the database's locale.
/// `{serial_key}` as a column type is a primary key that numbers itself, ever upwards.
SqlText schemaFor(Engine engine, SqlView statement);

}  // namespace spindle::storage
