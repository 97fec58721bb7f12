#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "query/field.h"
#include "query/sql.h"

namespace spindle::query {

/// Whether it matters that a condition is unknown rather than false.
enum class Need {
  kTruth,  ///< only where it is true matters: unknown may be given as false, and false as unknown
  kExact,
};

/// The SQL of one value inside JSON, read as text or as something else. Each expression parses a
/// row's JSON at most once.
class JsonValue {
 public:
  /// `column` as Field::sql of kJson, `path` as Field::path.
  JsonValue(Sql column, const std::vector<std::string>& path);

  /// The text, never NULL: empty when the value is missing or null, numbers in their plain form.
  Sql text() const;
  /// The text as far as numbers do not matter: 5.0 is `5.0`. NULL when missing or null.
  Sql looseText() const;
  /// NULL where the text is not one: what follows a sign is digits only, respectively a decimal.
  Sql integer() const;
  Sql real() const;
  /// true, false, or a number from 0 to 255; else NULL.
  Sql boolean() const;
  /// Characters of the text, or items of an array.
  Sql size() const;

  // Conditions on the text. They are not NULL when exact truth is needed.
  Sql equals(std::string_view text, Need need) const;
  Sql isAmong(const std::vector<std::string>& texts) const;
  Sql compares(SqlView sign, std::string_view text) const;
  Sql contains(std::string_view needle, bool case_insensitive, Need need) const;

 private:
  Sql extract(SqlView function) const;
  /// Runs an expression over `t`, the value's JSON (NULL when it is missing).
  Sql overJson(SqlView expression) const;
  /// The whole value's text, without parsing it where it is an object or an array.
  Sql wholeText() const;
  Sql jsonIsAmong(const std::vector<std::string>& forms) const;
  Sql looseTextFor(Need need) const;

  Sql column_;
  SqlText pointer_;
  bool whole_;
};

// The same readings of a plain text; `text` is any SQL expression.
Sql integerOfText(const Sql& text);
Sql realOfText(const Sql& text);
Sql booleanOfText(const Sql& text);

}  // namespace spindle::query
