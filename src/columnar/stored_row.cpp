#include "columnar/stored_row.h"

namespace spindle::columnar {
namespace {

Value readValue(const Answer& answer, std::size_t row, std::size_t column, ColumnType type) {
  if (answer.isNull(column, row)) return {};
  switch (type) {
    case ColumnType::kText:
      return std::string(answer.text(column, row));
    case ColumnType::kInteger:
      return answer.integer(column, row);
    case ColumnType::kReal:
      return answer.real(column, row);
    case ColumnType::kBoolean:
      return answer.boolean(column, row);
    case ColumnType::kTime:
      return answer.time(column, row);
    case ColumnType::kTexts:
      return answer.texts(column, row);
  }
  return {};
}

}  // namespace

Row readRow(const Answer& answer, std::size_t row, std::size_t first, const Family& family) {
  Row values;
  values.reserve(family.columns.size());
  for (std::size_t i = 0; i < family.columns.size(); ++i) {
    values.push_back(readValue(answer, row, first + i, family.columns[i].type));
  }
  return values;
}

}  // namespace spindle::columnar
