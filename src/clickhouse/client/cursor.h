#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/core/opaque.h"
#include "base/core/result.h"
#include "base/core/time.h"

namespace spindle::clickhouse {

class ResponseStream;

/// Result rows of a statement, received while they are read, so memory use does not grow with their
/// number. For one thread at a time. Destroying it cancels the statement.
///
/// A statement can fail after its first rows: only the end without an error makes them valid.
class Cursor {
 public:
  class Source;
  explicit Cursor(std::unique_ptr<Source> source);

  /// Reads the names and types of the columns of a response in the format
  /// RowBinaryWithNamesAndTypes. `value_bytes` limits one value and one row.
  /// @return as next(); kInternal for a column type that the client does not read.
  static Result<Cursor> over(std::unique_ptr<ResponseStream> stream, std::size_t value_bytes);

  /// Moves to the next row. @return false after the last row; the errors of errorOf() and
  /// connectionError(); kTooLarge for a row beyond the limit.
  Result<bool> next();

  std::size_t columns() const;
  const std::string& name(std::size_t column) const;

  // Columns of the current row, from 0. Views are valid until the next next(). Null reads as an
  // empty text or as zero. A read with the wrong type aborts the program.
  bool isNull(std::size_t column) const;
  std::int64_t integer(std::size_t column) const;  ///< any integer type; UInt64 modulo 2^64
  double real(std::size_t column) const;
  bool boolean(std::size_t column) const;  ///< Bool or UInt8
  Timestamp time(std::size_t column) const;
  std::string_view text(std::size_t column) const;
  std::vector<std::string> texts(std::size_t column) const;

 private:
  OpaquePtr<Source> source_;
};

/// Calls `visit(const Cursor&)` for every row of `rows`, the result of a query. If `visit` returns
/// a Result, its first error ends the iteration and is returned.
template <class Visit>
Result<void> forEachRow(Result<Cursor> rows, Visit visit) {
  Cursor row = TRY(std::move(rows));
  while (TRY(row.next())) {
    if constexpr (std::is_void_v<decltype(visit(row))>) {
      visit(row);
    } else {
      TRY(visit(row));
    }
  }
  return {};
}

/// Returns `read(const Cursor&)` of every row, in order.
template <class Read, class Record = std::decay_t<std::invoke_result_t<Read, const Cursor&>>>
Result<std::vector<Record>> collectRows(Result<Cursor> rows, Read read) {
  std::vector<Record> records;
  TRY(forEachRow(std::move(rows), [&](const Cursor& row) { records.push_back(read(row)); }));
  return records;
}

}  // namespace spindle::clickhouse
