#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/field.h"
#include "query/sql.h"

namespace spindle::query {

/// A column of Dialect::tableOf().
struct ListColumn {
  SqlName name;
  FieldKind kind;  ///< of the items: kText, kInteger or kReal
  Sql list;        ///< a parameter, or `[1, 2]`
};

/// The SQL of one engine, for everything in which engines differ. The compiler uses no other SQL
/// than comparisons, AND, OR, NOT, IN, COALESCE, IS NULL and ORDER BY … NULLS LAST. Immutable;
/// lives as long as the program.
///
/// `value` is any SQL expression. Unless a comment says otherwise, the result is NULL if an
/// argument is NULL.
class Dialect {
 public:
  Dialect() = default;
  virtual ~Dialect() = default;
  Dialect(const Dialect&) = delete;
  Dialect& operator=(const Dialect&) = delete;

  // Constants.
  /// Returns a condition that is NULL.
  virtual Sql unknown() const = 0;
  /// Returns a parameter whose type is that of the kind.
  virtual Sql parameter(columnar::Value value, FieldKind kind) const = 0;

  // Conversions of values of a known kind.
  /// Returns the value as text. Whole numbers have no fraction, times are in RFC 3339.
  virtual Sql textOf(FieldKind kind, const Sql& value) const = 0;
  /// Returns a short text of a number, a truth value or a time: `2026-11-18 09:30:00.5`.
  virtual Sql labelOf(FieldKind kind, const Sql& value) const = 0;
  /// Converts a number, a truth value or a time. A fraction is cut. NULL if it does not fit.
  virtual Sql integerOf(FieldKind kind, const Sql& value) const = 0;
  virtual Sql realOf(FieldKind kind, const Sql& value) const = 0;
  /// Returns the condition that a number is not zero.
  virtual Sql truthOf(const Sql& value) const = 0;
  /// Returns 1 or 0 for a condition.
  virtual Sql numberOfTruth(const Sql& condition) const = 0;

  // Conversions of texts; NULL for another text. For integerOfText: digits with an optional sign;
  // realOfText: a decimal number; booleanOfText: true, false, or a number from 0 to 255.
  virtual Sql integerOfText(const Sql& text) const = 0;
  virtual Sql realOfText(const Sql& text) const = 0;
  virtual Sql booleanOfText(const Sql& text) const = 0;
  /// Returns the number that a text sorts by; may accept more texts than realOfText().
  virtual Sql sortedNumber(const Sql& text) const = 0;

  // Conditions.
  virtual Sql isNull(FieldKind kind, const Sql& value) const = 0;
  /// Returns the condition that a value is in `list`, which is `(a, b, …)`.
  virtual Sql isIn(const Sql& value, const Sql& list) const = 0;

  // Texts. Lengths are in characters.
  virtual Sql contains(const Sql& text, const Sql& part) const = 0;
  virtual Sql lower(const Sql& text) const = 0;
  virtual Sql length(const Sql& text) const = 0;
  /// Returns the text of a value of kind kText or kTexts that lists with positions sort by.
  virtual Sql sortedText(FieldKind kind, const Sql& value, int characters) const = 0;

  virtual Sql startsWith(const Sql& text, const Sql& prefix) const = 0;
  /// Returns the first characters.
  virtual Sql beginning(const Sql& text, std::int64_t characters) const = 0;
  /// Returns the number of bytes.
  virtual Sql bytes(const Sql& text) const = 0;
  /// Returns the first group of a regular expression, a literal without a backslash; '' without a
  /// match.
  virtual Sql firstGroup(const Sql& text, SqlView pattern) const = 0;
  /// Returns the text, or NULL if it has more bytes.
  virtual Sql atMost(const Sql& text, std::int64_t bytes) const = 0;
  /// Decodes percent-encoding.
  virtual Sql urlDecoded(const Sql& text) const = 0;

  // Rows of other tables.
  /// Returns the condition that the test, which is over a row `f`, is true for one of the rows.
  /// `reads_owner` tells that the test reads the queried row too.
  virtual Sql anyRelated(const RelatedRows& rows, const Sql& test, bool reads_owner) const = 0;
  /// Returns the value of the newest of the rows whose value is not NULL; NULL without one.
  virtual Sql newestRelated(const RelatedRows& rows, const Sql& value) const = 0;
  /// Returns a table without a name whose columns have the items of lists of the same length. At
  /// least one column.
  virtual Sql tableOf(const std::vector<ListColumn>& columns) const = 0;

  // Times.
  virtual Sql noTime() const = 0;  ///< a time that is NULL
  /// Returns the whole milliseconds from one time to another, rounded down.
  virtual Sql millisecondsBetween(const Sql& from, const Sql& to) const = 0;
  /// Returns the microseconds since 1970.
  virtual Sql microsecondsOf(const Sql& time) const = 0;
  /// Returns the date as text, such as 2026-11-15.
  virtual Sql dateOf(const Sql& time) const = 0;

  // Numbers.
  /// Returns the quotient of two whole numbers without its fraction.
  virtual Sql quotient(const Sql& dividend, const Sql& divisor) const = 0;
  /// Returns the quantile of the values of a group, interpolated between two values; NULL without
  /// values.
  virtual Sql quantile(const Sql& value, double fraction) const = 0;
  /// Returns one of several quantiles of the same values, from 0. The engine computes them together
  /// if the arguments of several expressions are equal otherwise.
  virtual Sql oneOfQuantiles(const Sql& value,
                             const std::vector<double>& fractions,
                             std::size_t place) const = 0;
  /// Returns the sum of the 64-bit integers of a group, at most the greatest one; 0 without values.
  virtual Sql limitedSum(const Sql& value) const = 0;

  // Lists of texts. In calls, a list without items is NULL.
  /// Returns the condition that a list contains at least one of the texts.
  virtual Sql listContainsAny(const Sql& list, std::vector<std::string> texts) const = 0;
  /// Returns the items with a line break before each of them.
  virtual Sql linesOf(const Sql& list) const = 0;
  virtual Sql listContains(const Sql& list, const Sql& item, bool lowered) const = 0;
  virtual Sql listLength(const Sql& list) const = 0;
  /// Returns the value that a list sorts by.
  virtual Sql sortedList(const Sql& list) const = 0;
  /// Returns a column of a select list that repeats the row for each item of the list.
  virtual Sql eachItem(const Sql& list) const = 0;

  // Values inside JSON, at the path in the JSON text `column`.
  /// Returns the JSON of the value; NULL if it is missing.
  virtual Sql json(const Sql& column, const std::vector<std::string>& path) const = 0;
  /// Returns the JSON of a member of an object; NULL if it is missing.
  virtual Sql jsonMember(const Sql& column, SqlName member) const = 0;
  /// Returns the value beside the key in two lists; NULL if the key is not in the first one.
  virtual Sql lookedUp(const Sql& key,
                       std::vector<std::string> keys,
                       std::vector<std::string> values) const = 0;
  // The functions of JsonValue with these names.
  virtual Sql jsonText(const Sql& column, const std::vector<std::string>& path) const = 0;
  virtual Sql jsonLooseText(const Sql& column, const std::vector<std::string>& path) const = 0;
  virtual Sql jsonInteger(const Sql& column, const std::vector<std::string>& path) const = 0;
  virtual Sql jsonBoolean(const Sql& column, const std::vector<std::string>& path) const = 0;
  virtual Sql jsonSize(const Sql& column, const std::vector<std::string>& path) const = 0;
  /// Returns a column of a select list that repeats the row for each member of the JSON object of
  /// numbers `column`. Its fields are `key` and `value`.
  virtual Sql eachNumber(const Sql& column) const = 0;
};

/// Returns the dialect of DuckDB, the embedded engine.
const Dialect& duckDbDialect();

/// The meaning of a list without items in ClickHouse, which has no lists that are NULL.
enum class EmptyLists { kNull, kValues };
/// Returns the dialect of ClickHouse. Numbers inside JSON have ClickHouse's text: 5.0 is `5`.
const Dialect& clickHouseDialect(EmptyLists lists = EmptyLists::kNull);

}  // namespace spindle::query
