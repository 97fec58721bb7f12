#pragma once

#include <string_view>

#include "base/core/sql_text.h"

namespace spindle::statistics {

/// How to aggregate the values of a bucket. Values other than zero count as true.
enum class Aggregation { kSum, kAvg, kMin, kMax, kCount, kCountTrue, kCountFalse };

/// Returns the name of an aggregation in requests and responses: `count_true`.
std::string_view textOf(Aggregation aggregation);

/// Returns the SQL function of the same name, for the aggregations that have one: all except
/// kCountTrue and kCountFalse.
SqlName sqlFunctionOf(Aggregation aggregation);

/// Returns true if the result is a number of values.
bool isCount(Aggregation aggregation);

}  // namespace spindle::statistics
