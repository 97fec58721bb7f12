#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "base/core/sql_text.h"

namespace spindle::columnar {

/// Returns the numbers separated by commas.
template <std::integral Number>
SqlText listOf(const std::vector<Number>& numbers) {
  SqlText list;
  for (const Number number : numbers) {
    if (!list.empty()) list += ", ";
    list += SqlText::number(number);
  }
  return list;
}

/// Returns a condition that is true if the expression is one of these numbers; at least one is
/// required. Use it instead of IN for short lists: DuckDB answers IN with a hash join, which takes
/// twice as long, and it keeps a record of each temporary block of the join for a long time.
SqlText isOneOf(SqlView expression, const std::vector<std::int64_t>& numbers);

}  // namespace spindle::columnar
