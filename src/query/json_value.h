#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "query/dialect.h"
#include "query/field.h"
#include "query/sql.h"

namespace spindle::query {

/// Decides whether a condition must distinguish unknown (NULL) from false.
enum class NullSemantics {
  kTruthOnly,  ///< only rows where it is true count: unknown may be false, and false may be unknown
  kThreeValued,  ///< true, false and unknown are distinct
};

/// Generates the SQL of one value inside JSON, read as text or as another type. Each generated
/// expression parses a row's JSON at most once, unless the path has indexes of arrays.
class JsonValue {
 public:
  /// `column` is Field::sql of a kJson field, `path` is its Field::path.
  JsonValue(Sql column, std::vector<std::string> path, const Dialect& dialect = duckDbDialect());

  /// Returns the text, never NULL: empty when the value is missing or null, and without a fraction
  /// of zero (5.0 is `5`).
  Sql text() const;
  /// Returns the text without normalised numbers: 5.0 is `5.0`. NULL when missing or null.
  Sql looseText() const;
  /// Returns the value as an integer: digits with an optional sign. NULL for another text.
  Sql integer() const;
  /// Returns the value as a double: a decimal number with an optional sign. NULL for another text.
  Sql real() const;
  /// Returns the value as a boolean: true, false, or a number from 0 to 255. NULL for another text.
  Sql boolean() const;
  /// Returns the number of characters of the text, or of items of an array.
  Sql size() const;

  // Conditions on the text. With NullSemantics::kThreeValued they are never NULL.
  Sql equals(std::string_view text, NullSemantics nulls) const;
  Sql isAmong(const std::vector<std::string>& texts) const;
  Sql compares(SqlView sign, std::string_view text) const;
  Sql contains(std::string_view needle, bool case_insensitive, NullSemantics nulls) const;

 private:
  bool isWhole() const { return path_.empty(); }
  Sql jsonIsAmong(const std::vector<std::string>& forms) const;
  Sql looseTextFor(NullSemantics nulls) const;

  Sql column_;
  std::vector<std::string> path_;
  const Dialect* dialect_;
};

}  // namespace spindle::query
