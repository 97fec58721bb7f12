#pragma once

#include <string_view>

#include "base/core/result.h"
#include "query/field.h"
#include "query/sql.h"
#include "tracing/analysis/call_engine.h"

namespace spindle::tracing {

/// Values that calls are grouped by.
struct CallDimension {
  /// Over rows `c`; NULL for a call without a value. Empty if the values are the models of a call.
  query::Sql value = {};
  bool of_models = false;
  bool in_json = false;  ///< each value costs a parse of a JSON text
};

/// Returns the dimension of that name: `model`, `status`, `user`, `trace_roots_only`, or a field
/// with one text, number, time or flag. @return kUnprocessable for other fields.
Result<CallDimension> dimensionOf(std::string_view name, const query::Fields& fields);

/// Returns `SELECT <columns>, <value> AS g FROM <calls> AS c WHERE <condition>`: a row for each
/// call and value of the dimension, at least one for each call. `columns` may be empty.
query::Sql selectByDimension(const CallEngine& engine,
                             const query::Sql& columns,
                             const query::Sql& condition,
                             const CallDimension& dimension);

/// Values with more bytes are shown neither as groups nor as facets.
inline constexpr int kMaxDimensionBytes = 1024;

}  // namespace spindle::tracing
