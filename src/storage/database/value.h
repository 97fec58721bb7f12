#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/core/time.h"

namespace spindle::storage {

/// A programming error: SQL that does not parse, a missing column, a value read as another type.
/// Never caused by the data of a request. The catch-all of the worker loop logs it and returns a
/// 500.
class SqlError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// One value of a parameter or column. Booleans are stored as 0 and 1, times as microseconds since
/// 1970. Owners of bytes that are not UTF-8 store them as Base64 text.
class Value {
 public:
  Value() = default;
  Value(std::nullopt_t) {}                                    // NOLINT: implicit by design
  Value(std::int64_t number) : held_(number) {}               // NOLINT
  Value(double number) : held_(number) {}                     // NOLINT
  Value(std::string text) : held_(std::move(text)) {}         // NOLINT
  Value(std::string_view text) : held_(std::string(text)) {}  // NOLINT
  Value(const char* text) : held_(std::string(text)) {}       // NOLINT
  Value(Timestamp time) : held_(microsOf(time)) {}            // NOLINT
  template <std::integral Integer>
  Value(Integer number) : held_(static_cast<std::int64_t>(number)) {}  // NOLINT
  template <class T>
  Value(const std::optional<T>& maybe) {  // NOLINT
    if (maybe) *this = Value(*maybe);
  }

  bool isNull() const { return held_.index() == 0; }
  const std::int64_t* asInteger() const { return std::get_if<std::int64_t>(&held_); }
  const double* asReal() const { return std::get_if<double>(&held_); }
  const std::string* asText() const { return std::get_if<std::string>(&held_); }

 private:
  std::variant<std::monostate, std::int64_t, double, std::string> held_;
};

/// The values of a statement's question marks, in order.
using Params = std::vector<Value>;

/// Returns the reason why a text cannot be stored on every engine, or empty. Text is UTF-8 without
/// NUL.
std::string_view unstorableReason(std::string_view text);

/// One row of a query result, with its own copy of the values. A column is identified by name or by
/// position from 0. A missing column, a null or another type throws SqlError; the optional
/// functions accept null.
class Row {
 public:
  using Columns = std::vector<std::string>;

  Row(std::shared_ptr<const Columns> columns, std::vector<Value> cells)
      : columns_(std::move(columns)), cells_(std::move(cells)) {}

  template <class Column>
  bool isNull(Column column) const {
    return at(column).isNull();
  }
  template <class Column>
  std::int64_t integer(Column column) const {
    return integerOf(at(column));
  }
  template <class Column>
  bool boolean(Column column) const {
    return integer(column) != 0;
  }
  template <class Column>
  double real(Column column) const {
    return realOf(at(column));
  }
  template <class Column>
  const std::string& text(Column column) const {
    return textOf(at(column));
  }
  template <class Column>
  Timestamp time(Column column) const {
    return timestampOfMicros(integer(column));
  }
  template <class Column>
  std::optional<std::int64_t> optionalInteger(Column column) const {
    return isNull(column) ? std::nullopt : std::optional(integer(column));
  }
  template <class Column>
  std::optional<double> optionalReal(Column column) const {
    return isNull(column) ? std::nullopt : std::optional(real(column));
  }
  template <class Column>
  std::optional<std::string> optionalText(Column column) const {
    return isNull(column) ? std::nullopt : std::optional(text(column));
  }
  template <class Column>
  std::optional<Timestamp> optionalTime(Column column) const {
    return isNull(column) ? std::nullopt : std::optional(time(column));
  }

  std::size_t size() const { return cells_.size(); }

 private:
  const Value& at(int position) const;
  const Value& at(std::string_view name) const;
  static std::int64_t integerOf(const Value& value);
  static double realOf(const Value& value);
  static const std::string& textOf(const Value& value);

  std::shared_ptr<const Columns> columns_;  // shared by the rows of one result
  std::vector<Value> cells_;
};

using Rows = std::vector<Row>;

/// Returns `read(const Row&)` of every row, in order.
template <class Read, class Record = std::decay_t<std::invoke_result_t<Read, const Row&>>>
std::vector<Record> collectRows(const Rows& rows, Read read) {
  std::vector<Record> records;
  records.reserve(rows.size());
  for (const Row& row : rows) records.push_back(read(row));
  return records;
}

}  // namespace spindle::storage
