#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "query/field.h"
#include "query/position.h"
#include "query/sql.h"

namespace spindle::query {

/// Texts of a list with positions are sorted by this many characters.
inline constexpr int kSortedCharacters = 128;

/// One value that a list with positions is sorted by. NULL sorts last in both directions.
struct SortColumn {
  Sql sql;
  FieldKind kind = FieldKind::kText;  ///< kText, kInteger, kReal or kTime
  bool descending = false;
};

/// Returns `, <value> AS sort_0, …` for the select list of the rows.
Sql sortValues(const std::vector<SortColumn>& columns);

/// Returns the expressions of an ORDER BY clause over the values.
SqlText sortOrder(const std::vector<SortColumn>& columns);

/// Returns the condition over the values that a row is after the position.
/// @return kUnprocessable for a position of another order.
Result<Sql> isAfter(const Position& position, const std::vector<SortColumn>& columns);

/// Returns the position of a row whose values begin at the column `first`. `Row` is the cursor of
/// an engine.
template <class Row>
Position positionAt(const Row& row, std::size_t first, const std::vector<SortColumn>& columns) {
  Position position;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t column = first + i;
    if (row.isNull(column)) {
      position.emplace_back();
    } else if (columns[i].kind == FieldKind::kText) {
      position.emplace_back(std::string(row.text(column)));
    } else if (columns[i].kind == FieldKind::kReal) {
      position.emplace_back(row.real(column));
    } else if (columns[i].kind == FieldKind::kTime) {
      position.emplace_back(microsOf(row.time(column)));
    } else {
      position.emplace_back(row.integer(column));
    }
  }
  return position;
}

/// Returns the error for a position that does not fit.
Error unknownPosition();

}  // namespace spindle::query
