#include "columnar/duckdb/stored_row.h"

namespace spindle::columnar {
namespace {

Value readValue(const QueryResult& result, std::size_t row, std::size_t column, ColumnType type) {
  if (result.isNull(column, row)) return {};
  switch (type) {
    case ColumnType::kText:
      return std::string(result.text(column, row));
    case ColumnType::kInteger:
      return result.integer(column, row);
    case ColumnType::kReal:
      return result.real(column, row);
    case ColumnType::kBoolean:
      return result.boolean(column, row);
    case ColumnType::kTime:
      return result.time(column, row);
    case ColumnType::kTexts:
      return result.texts(column, row);
  }
  return {};
}

}  // namespace

Row readRow(const QueryResult& result, std::size_t row, std::size_t first, const Family& family) {
  Row values;
  values.reserve(family.columns.size());
  for (std::size_t i = 0; i < family.columns.size(); ++i) {
    values.push_back(readValue(result, row, first + i, family.columns[i].type));
  }
  return values;
}

}  // namespace spindle::columnar
