#include "statistics/aggregation.h"

#include <array>
#include <cstddef>

namespace spindle::statistics {
namespace {

/// Names in the order of Aggregation.
constexpr auto kNames =
    std::to_array<SqlName>({"sum", "avg", "min", "max", "count", "count_true", "count_false"});

}  // namespace

std::string_view textOf(Aggregation aggregation) { return sqlFunctionOf(aggregation).text(); }

SqlName sqlFunctionOf(Aggregation aggregation) {
  return kNames.at(static_cast<std::size_t>(aggregation));
}

bool isCount(Aggregation aggregation) {
  return aggregation == Aggregation::kCount || aggregation == Aggregation::kCountTrue ||
         aggregation == Aggregation::kCountFalse;
}

}  // namespace spindle::statistics
