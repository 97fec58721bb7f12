#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sql_text.h"
#include "base/time.h"
#include "columnar/family.h"

namespace spindle::columnar {

/// The rows of an answer, fetched as they are asked for: memory does not grow with their number.
/// Used by one thread at a time; dies before its snapshot runs another statement.
class Cursor {
 public:
  class Source;
  explicit Cursor(std::unique_ptr<Source> source);
  Cursor(Cursor&&) noexcept;
  Cursor& operator=(Cursor&&) noexcept;
  ~Cursor();

  /// Moves to the next row. @return false behind the last; kTimeout when the time is up,
  /// kUnavailable when the query does not fit in memory or the store fails.
  Result<bool> next();

  // Columns of the current row, counted from 0. Views hold until the next call of next(). Null
  // reads as an empty text, or as any number.
  bool isNull(std::size_t column) const;
  std::int64_t integer(std::size_t column) const;  ///< of any integer type
  double real(std::size_t column) const;
  bool boolean(std::size_t column) const;
  Timestamp time(std::size_t column) const;
  std::string_view text(std::size_t column) const;
  std::vector<std::string> texts(std::size_t column) const;

 private:
  std::unique_ptr<Source> source_;
};

/// Rows of one table: `FROM <table> AS c WHERE <condition>`. The condition names the table `c`.
struct Source {
  SqlText table;
  SqlText condition;
};

/// One unchanging view of everything that was acknowledged before it was taken. Holds a connection
/// and keeps old rows from being cleaned up: short-lived, or at least finite.
/// Used by one thread at a time, not necessarily always the same.
class Snapshot {
 public:
  class State;
  explicit Snapshot(std::unique_ptr<State> state);
  Snapshot(Snapshot&&) noexcept;
  Snapshot& operator=(Snapshot&&) noexcept;
  ~Snapshot();

  /// What to write behind FROM for the rows of one family in one partition: a parenthesised
  /// sub-query with the family's columns, plus `row_number_in_store BIGINT`, which identifies a row
  /// within the store and never changes. The caller names it: `snapshot.from(...) + " AS c"`.
  /// Filters and projections written around it reach the stored tables.
  SqlText from(FamilyId family, std::string_view partition) const;

  /// The same rows table by table, for statements that ask each table and put the answers together
  /// with UNION ALL. They are planned in a fraction of the time, and some (a count) are answered
  /// from what the engine knows of a table without reading it. Never empty.
  std::vector<Source> sources(FamilyId family, std::string_view partition) const;

  /// Only those tables that can hold the row of that key: for a key that grows with time (UUIDv7)
  /// most often one. Never empty.
  std::vector<Source> sourcesOf(FamilyId family,
                                std::string_view partition,
                                std::string_view key) const;

  /// How many rows satisfy a condition without parameters that names nothing but the columns of
  /// `c`. Those in the file are counted once and remembered, so that it takes no longer with a
  /// large one. For few different conditions. @return as query().
  Result<std::int64_t> count(FamilyId family, std::string_view partition, SqlView condition);

  /// A moment such that about `rows` rows of the partition (or more) are ordered at or after it;
  /// empty when the partition has fewer. An estimate to begin a search with: deleted rows count.
  std::optional<Timestamp> newestWindow(FamilyId family,
                                        std::string_view partition,
                                        std::size_t rows) const;
  /// The same from the other end: rows at or before the moment.
  std::optional<Timestamp> oldestWindow(FamilyId family,
                                        std::string_view partition,
                                        std::size_t rows) const;

  /// Runs one statement; `?` takes the parameters in order. The SQL is DuckDB's.
  /// @return kTimeout, kUnavailable, or kInternal (logged) for a statement that is wrong.
  Result<Cursor> query(SqlView sql, const std::vector<Value>& params = {});

 private:
  std::unique_ptr<State> state_;
};

}  // namespace spindle::columnar
