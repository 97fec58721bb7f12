#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agents/sql/result_row.h"
#include "agents/sql/span_dialect.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "query/sql.h"

namespace spindle::agents {

/// A row of a page before its columns are read.
struct PageRow {
  std::int64_t number = 0;  ///< the number of the row, in an engine whose rows have numbers
  std::string trace_id;     ///< in an engine without numbers
  std::string span_id;
  Timestamp started_at;
};

/// The spans of a project in one engine, and the statements over them. Short-lived; use it from one
/// thread at a time. Statements return the errors of the engine.
class SpanRows {
 public:
  SpanRows() = default;
  virtual ~SpanRows() = default;
  SpanRows(const SpanRows&) = delete;
  SpanRows& operator=(const SpanRows&) = delete;

  virtual const SpanDialect& dialect() const = 0;

  /// Returns all spans as a FROM item without an alias. Its columns are those of spanFamily().
  virtual query::Sql from() const = 0;
  /// Returns the feedback of the project as a FROM item without an alias.
  virtual query::Sql feedback() const = 0;
  /// Returns the condition that spans `c` belong to one of the traces. `trace_ids` is not empty.
  virtual query::Sql oneOfTraces(const std::vector<std::string>& trace_ids) const = 0;

  /// Visits a row. @return false to end the iteration.
  using Visit = std::function<Result<bool>(const ResultRow&)>;
  /// Runs a SELECT statement and visits its rows. The first error of a visit is returned.
  virtual Result<void> run(const query::Sql& select, const Visit& visit) = 0;

  // Pages are selected by few columns; all columns are read of the selected rows only.

  /// Returns the columns of spans `c` that identify a row and have its start.
  virtual SqlView pageColumns() const = 0;
  /// Reads a row whose columns are pageColumns().
  virtual PageRow readPageRow(const ResultRow& row) const = 0;
  using VisitPageRow = std::function<void(const ResultRow&, const PageRow&)>;
  /// Reads `columns` of the spans `c` of a page, in any order. `count` is their number. The page is
  /// not empty.
  virtual Result<void> readPage(const std::vector<PageRow>& page,
                                const query::Sql& columns,
                                std::size_t count,
                                const VisitPageRow& visit) = 0;
  /// Returns a time at or after which about this many spans or more have started; nothing if there
  /// are fewer. An estimate: spans that were sent again may count twice.
  virtual Result<std::optional<Timestamp>> newestStart(std::size_t rows) = 0;

  /// Returns the JSON of resources by digest; omits unknown ones.
  virtual Result<std::unordered_map<std::string, std::string>> resources(
      const std::vector<std::string>& digests) = 0;
};

/// Calls `visit(const ResultRow&)` for every row of a SELECT statement. If `visit` returns a
/// Result, its first error ends the iteration and is returned.
template <class Visit>
Result<void> forEachRow(SpanRows& rows, const query::Sql& select, Visit visit) {
  return rows.run(select, [&visit](const ResultRow& row) -> Result<bool> {
    if constexpr (std::is_void_v<decltype(visit(row))>) {
      visit(row);
    } else {
      TRY(visit(row));
    }
    return true;
  });
}

/// Returns `read(const ResultRow&)` of every row, in order.
template <class Read, class Record = std::decay_t<std::invoke_result_t<Read, const ResultRow&>>>
Result<std::vector<Record>> collectRows(SpanRows& rows, const query::Sql& select, Read read) {
  std::vector<Record> records;
  TRY(forEachRow(rows, select, [&](const ResultRow& row) { records.push_back(read(row)); }));
  return records;
}

/// Returns the number of rows of a SELECT statement.
inline Result<std::int64_t> countRows(SpanRows& rows, const query::Sql& select) {
  const query::Sql counting = query::Sql("SELECT count(*) FROM (").add(select).add(")");
  std::int64_t count = 0;
  TRY(forEachRow(rows, counting, [&count](const ResultRow& row) { count = row.integer(0); }));
  return count;
}

// Read one column of a row. NULL is an empty text or zero; a time is not NULL.
inline void readColumn(const ResultRow& row, std::size_t column, std::string& value) {
  value = row.text(column);
}
inline void readColumn(const ResultRow& row, std::size_t column, std::int64_t& value) {
  value = row.isNull(column) ? 0 : row.integer(column);
}
template <class Time>
void readColumn(const ResultRow& row, std::size_t column, Time& value) {
  value = row.time(column);
}

/// Reads the first columns of a row into the values, in order.
template <class... Values>
void readColumns(const ResultRow& row, Values&... values) {
  std::size_t column = 0;
  (readColumn(row, column++, values), ...);
}

}  // namespace spindle::agents
