#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "query/sql.h"

namespace spindle::query {

enum class FieldKind {
  kText,
  kInteger,
  kReal,
  kTime,
  kBoolean,
  kTexts,  ///< a list of texts
  kJson,   ///< a value inside a JSON text; its type can differ from row to row
};

/// The rows of another table that contain a field's values, zero or more for each queried row. A
/// condition is true for the queried row when it is true for at least one of these rows.
struct RelatedRows {
  Sql from;       ///< `<rows> AS f`
  Sql condition;  ///< over `f`: which rows count
  /// A row `f` belongs to the queried row if these texts, which are never NULL, are equal.
  SqlText key;    ///< over `f`
  SqlText owner;  ///< over the queried row
  /// An SQL expression over a row `f`. Sorting uses the row with the greatest value.
  SqlText newest;
  /// When true, rows whose value is empty are ignored.
  bool skip_empty = false;
};

/// One possible value of a field and the condition for it. The condition is faster than computing
/// the value.
struct FieldCase {
  std::string_view value;
  SqlView test;  ///< SQL that is true or false, never NULL
};

/// The type of a field and the SQL that reads its value.
struct Field {
  FieldKind kind = FieldKind::kText;
  /// The value. For kJson: JSON text without spaces between tokens and without unnecessary escapes,
  /// or NULL.
  Sql sql;
  std::vector<std::string> path = {};    ///< for kJson: path to the value; empty: the whole value
  std::optional<RelatedRows> rows = {};  ///< when set, `sql` is evaluated over these rows
  /// For kText: all possible values, if they are few and known.
  std::vector<FieldCase> cases = {};
};

class Dialect;

/// The fields of one table. The area that owns the table implements it. Implementations are
/// immutable while a query is compiled.
class Fields {
 public:
  virtual ~Fields() = default;

  /// Returns the field at `path`, which is in neutral spelling.
  /// @return the table owner's own error for a field that does not exist.
  virtual Result<Field> resolve(std::string_view path) const = 0;

  /// Returns the dialect of the SQL of the fields; that of DuckDB by default.
  virtual const Dialect& dialect() const;
};

/// Splits a dotted path into its parts. `\.` is a dot inside a part.
/// @return kUnprocessable for a negative array index or a NUL character.
Result<std::vector<std::string>> splitPath(std::string_view path);

/// Returns the JSON pointer (RFC 6901) of a path. A part of digits is an array index or the name of
/// an object member. The pointer of the whole value is `$`, as DuckDB expects it.
std::string pointerOf(const std::vector<std::string>& path);

/// Returns pointerOf() as an SQL constant, so that DuckDB prepares the path once and equal paths
/// give equal expressions.
SqlText pointerSql(const std::vector<std::string>& path);

}  // namespace spindle::query
