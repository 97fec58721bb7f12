#include "columnar/duckdb/number_list.h"

#include <algorithm>

#include "base/core/check.h"

namespace spindle::columnar {
namespace {

/// A longer list takes longer to search for each row than a hash join.
constexpr std::size_t kMostSearched = 48;

}  // namespace

SqlText isOneOf(SqlView expression, const std::vector<std::int64_t>& numbers) {
  SPINDLE_ASSERT(!numbers.empty(), "a condition names at least one number");
  if (numbers.size() > kMostSearched) return SqlText(expression) + " IN (" + listOf(numbers) + ")";
  if (numbers.size() == 1) return SqlText(expression) + " = " + SqlText::number(numbers.front());
  const auto [least, greatest] = std::minmax_element(numbers.begin(), numbers.end());
  // The bounds let DuckDB skip whole row groups.
  return SqlText(expression) + " BETWEEN " + SqlText::number(*least) + " AND " +
         SqlText::number(*greatest) + " AND list_contains([" + listOf(numbers) + "]::BIGINT[], " +
         expression + ")";
}

}  // namespace spindle::columnar
