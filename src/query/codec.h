#pragma once

#include <cstddef>
#include <vector>

#include "query/expression.h"
#include "schema/type.h"

namespace spindle::query {

/// Limits of a query. A larger query is a `value_error`.
inline constexpr std::size_t kMaxQueryBytes = 2UL << 20;
inline constexpr std::size_t kMaxLiterals = 20'000;
inline constexpr std::size_t kMaxOperators = 2'000;  ///< nodes other than literals

/// Returns the codec of `{"$expr": …}`. It converts field names to neutral spelling. When an
/// operand matches no alternative, the codec reports the errors of all alternatives, each with the
/// alternative's name in its `loc`.
schema::Codec<Query> queryCodec();

/// Returns the codec of `[{"field": …, "direction": "asc" | "desc"}, …]`.
schema::Codec<std::vector<SortKey>> sortCodec();

}  // namespace spindle::query
