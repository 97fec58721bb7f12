#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/sql.h"

namespace spindle::query {

enum class FieldKind {
  kText,
  kInteger,
  kReal,
  kTime,
  kBoolean,
  kTexts,  ///< a list of texts
  kJson,   ///< a value inside a JSON text: what it is differs from row to row
};

/// For a field that lives in rows of another table, any number of them for each row that is asked
/// about: a test holds when it holds for one of them.
struct OtherRows {
  /// `FROM … AS f WHERE …`: the rows that belong to the asked one. The test is added with AND.
  Sql source;
  /// An SQL expression over such a row; sorting uses the row where it is greatest.
  SqlText newest;
  /// Only rows that have a value other than empty are looked at.
  bool skip_empty = false;
};

/// A value that a field takes, and when it does: quicker to test than to work out the value.
struct FieldCase {
  std::string_view value;
  SqlView test;  ///< SQL that is true or false, never NULL
};

/// Where a field's values are.
struct Field {
  FieldKind kind = FieldKind::kText;
  /// The value. Of kJson: JSON text without spaces between tokens and without needless escapes, or
  /// NULL.
  Sql sql;
  std::vector<std::string> path = {};  ///< of kJson: the way to the value; empty: the whole
  std::optional<OtherRows> rows = {};  ///< when set, `sql` is over these rows
  /// Of kText: all values that there are, where they are few and known.
  std::vector<FieldCase> cases = {};
};

/// The fields of one table, as its owner names them. Implementations are immutable while a query
/// is compiled.
class Fields {
 public:
  virtual ~Fields() = default;

  /// `path` is in neutral spelling. @return the owner's own error for a field that does not exist.
  virtual Result<Field> resolve(std::string_view path) const = 0;
};

/// The parts of a dotted path. `\.` is a dot inside a part. @return kUnprocessable for a negative
/// array index.
Result<std::vector<std::string>> splitPath(std::string_view path);

/// The JSON pointer (RFC 6901) of a path: a part of digits is a position in an array, or the name
/// of a member of an object. The whole value is `$`, as DuckDB wants it.
std::string pointerOf(const std::vector<std::string>& path);

/// Returns pointerOf() as SQL: a constant, so that DuckDB prepares the path once, and equal paths
/// give equal expressions.
SqlText pointerSql(const std::vector<std::string>& path);

}  // namespace spindle::query
