#pragma once

#include <optional>

#include "query/expression.h"

namespace spindle::tracing {

/// A query in two parts; a call matches if it matches both.
struct SplitQuery {
  std::optional<query::Query> fast = {};  ///< reads only columns
  std::optional<query::Query> slow = {};  ///< parses JSON or looks up other tables
};

/// Divides the conditions of a query by their cost.
SplitQuery splitByCost(const query::Query& query);

}  // namespace spindle::tracing
