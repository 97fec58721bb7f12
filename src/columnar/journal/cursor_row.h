#pragma once

#include <cstddef>
#include <string>

#include "base/core/sql_text.h"
#include "columnar/journal/family.h"

namespace spindle::columnar {

/// Returns the columns of a family of rows `c`, for a SELECT.
inline SqlText columnsOf(const Family& family) {
  SqlText list;
  for (const Column& column : family.columns) {
    if (!list.empty()) list += ", ";
    list += "c.\"" + SqlText(column.name) + "\"";
  }
  return list;
}

/// Returns a value of the current row of a cursor: that of DuckDB or of ClickHouse.
template <class Cursor>
Value valueAt(const Cursor& row, std::size_t column, ColumnType type) {
  if (row.isNull(column)) return {};
  switch (type) {
    case ColumnType::kText:
      return std::string(row.text(column));
    case ColumnType::kInteger:
      return row.integer(column);
    case ColumnType::kReal:
      return row.real(column);
    case ColumnType::kBoolean:
      return row.boolean(column);
    case ColumnType::kTime:
      return row.time(column);
    case ColumnType::kTexts:
      return row.texts(column);
  }
  return {};
}

/// Returns the current row of a cursor that has the columns of the family from `first` on.
template <class Cursor>
Row rowAt(const Cursor& row, const Family& family, std::size_t first = 0) {
  Row values;
  values.reserve(family.columns.size());
  for (const Column& column : family.columns)
    values.push_back(valueAt(row, first + values.size(), column.type));
  return values;
}

}  // namespace spindle::columnar
