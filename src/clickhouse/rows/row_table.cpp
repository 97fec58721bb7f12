#include "clickhouse/rows/row_table.h"

#include <variant>

#include "clickhouse/client/row_binary.h"
#include "clickhouse/rows/row_value.h"

namespace spindle::clickhouse {

void RowTable::normalize(columnar::Row& row) const {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (absent[i] == Absent::kNull || !isEmpty(row[i])) continue;
    row[i] = absent[i] == Absent::kEmpty ? emptyValue(family.columns[i].type) : columnar::Value();
  }
  if (derive != nullptr) derive(family, row);
}

void RowTable::putColumns(std::string& out, const columnar::Row& row, std::size_t first) const {
  for (std::size_t i = first; i < row.size(); ++i) {
    const bool is_null = std::holds_alternative<std::monostate>(row[i]);
    if (absent[i] == Absent::kNull) putNullMark(out, is_null);
    if (absent[i] != Absent::kNull || !is_null) putValue(out, family.columns[i].type, row[i]);
  }
}

}  // namespace spindle::clickhouse
