#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/core/opaque.h"
#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "base/core/time.h"
#include "columnar/journal/family.h"

namespace spindle::columnar {

/// Returns the condition that rows named `c` have one of these numbers, at least one.
SqlText haveNumbers(const std::vector<std::int64_t>& numbers);

/// Result rows of a query, fetched on demand, so memory use does not grow with their number. For
/// one thread at a time. Must be destroyed before its snapshot runs another statement.
class Cursor {
 public:
  class Source;
  explicit Cursor(std::unique_ptr<Source> source);

  /// Moves to the next row. @return false after the last row; kTimeout when the time limit is
  /// reached; kUnavailable when the query does not fit in memory or the store fails.
  Result<bool> next();

  // Columns of the current row, from 0. Views are valid until the next next(). Null reads as an
  // empty text or as an unspecified number.
  bool isNull(std::size_t column) const;
  std::int64_t integer(std::size_t column) const;  ///< any integer type
  double real(std::size_t column) const;
  bool boolean(std::size_t column) const;
  Timestamp time(std::size_t column) const;
  std::string_view text(std::size_t column) const;
  std::vector<std::string> texts(std::size_t column) const;

 private:
  OpaquePtr<Source> source_;
};

/// Rows of one table: `FROM <table> AS c WHERE <condition>`. The condition refers to the table as
/// `c`.
struct Source {
  SqlText table;
  SqlText condition;
};

/// A consistent, immutable view of everything that was acknowledged before it was taken. It
/// occupies a connection and delays the removal of old rows, so it should be short-lived. For one
/// thread at a time, not necessarily always the same.
class Snapshot {
 public:
  class State;
  explicit Snapshot(std::unique_ptr<State> state);

  /// Returns the FROM expression of the rows of one family in one partition: a parenthesised
  /// sub-query with the family's columns and `row_number_in_store BIGINT`, a permanent row id
  /// within the store. The caller adds an alias: `snapshot.from(...) + " AS c"`. DuckDB pushes
  /// filters and projections around it down to the stored tables.
  SqlText from(FamilyId family, std::string_view partition) const;

  /// Returns the same rows as separate tables, for statements that query each table and combine the
  /// results with UNION ALL. DuckDB plans them in a fraction of the time and answers some (a count)
  /// from table metadata without a scan. Never empty.
  std::vector<Source> sources(FamilyId family, std::string_view partition) const;

  /// Returns only the tables that can contain the row of that key; usually one if keys grow with
  /// time (UUIDv7). Never empty.
  std::vector<Source> sourcesOf(FamilyId family,
                                std::string_view partition,
                                std::string_view key) const;

  /// Counts the rows that satisfy a condition. The condition has no parameters and refers only to
  /// columns of `c`. Counts of the file are cached, so the time does not grow with the file. Use
  /// few different conditions. @return as query().
  Result<std::int64_t> count(FamilyId family, std::string_view partition, SqlView condition);

  /// Returns a time such that about `rows` rows of the partition or more are ordered at or after
  /// it, or nothing when the partition has fewer. An estimate for the start of a search: deleted
  /// rows count.
  std::optional<Timestamp> newestWindow(FamilyId family,
                                        std::string_view partition,
                                        std::size_t rows) const;
  /// Returns the time for the oldest rows: at or before it.
  std::optional<Timestamp> oldestWindow(FamilyId family,
                                        std::string_view partition,
                                        std::size_t rows) const;

  /// Runs one statement in DuckDB's SQL; each `?` takes the next parameter. @return kTimeout,
  /// kUnavailable, or kInternal (logged) for an invalid statement.
  Result<Cursor> query(SqlView sql, const std::vector<Value>& params = {});

 private:
  OpaquePtr<State> state_;
};

/// Calls `visit(const Cursor&)` for every row of `rows`, the result of a query. If `visit` returns
/// a Result, its first error ends the iteration and is returned. If it returns a Result<bool>, the
/// first false ends the iteration:
///
///     TRY(forEachRow(snapshot.query(sql, params), [&](const Cursor& row) { … }));
template <class Visit>
Result<void> forEachRow(Result<Cursor> rows, Visit visit) {
  Cursor row = TRY(std::move(rows));
  while (TRY(row.next())) {
    using Visited = decltype(visit(row));
    if constexpr (std::is_void_v<Visited>) {
      visit(row);
    } else if constexpr (std::is_same_v<Visited, Result<bool>>) {
      if (!TRY(visit(row))) break;
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

}  // namespace spindle::columnar
