#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "agents/columnar/columnar_span_store.h"
#include "base/core/result.h"
#include "query/sql.h"

namespace spindle::agents {

/// Returns the number of rows of a SELECT statement.
inline Result<std::int64_t> countRows(SpanRows& rows, const query::Sql& select) {
  const query::Sql counting = query::Sql("SELECT count(*) FROM (").add(select).add(")");
  std::int64_t count = 0;
  TRY(forEachRow(rows.run(counting),
                 [&count](const columnar::Cursor& row) { count = row.integer(0); }));
  return count;
}

// Read one column of a row. NULL is an empty text or zero; a time is not NULL.
inline void readColumn(const columnar::Cursor& row, std::size_t column, std::string& value) {
  value = row.text(column);
}
inline void readColumn(const columnar::Cursor& row, std::size_t column, std::int64_t& value) {
  value = row.isNull(column) ? 0 : row.integer(column);
}
template <class Time>
void readColumn(const columnar::Cursor& row, std::size_t column, Time& value) {
  value = row.time(column);
}

/// Reads the first columns of a row into the values, in order.
template <class... Values>
void readColumns(const columnar::Cursor& row, Values&... values) {
  std::size_t column = 0;
  (readColumn(row, column++, values), ...);
}

}  // namespace spindle::agents
