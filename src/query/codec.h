#pragma once

#include <cstddef>
#include <vector>

#include "query/expression.h"
#include "schema/type.h"

namespace spindle::query {

/// What a query may be at most; more is a `value_error`.
inline constexpr std::size_t kMaxQueryBytes = 2UL << 20;
inline constexpr std::size_t kMaxLiterals = 20'000;
inline constexpr std::size_t kMaxOperators = 2'000;  ///< nodes that are no literals

/// Reads `{"$expr": …}`. Field names come out in neutral spelling. When an operand fits none of the
/// alternatives, the errors of all are reported, each behind its alternative's name.
schema::Codec<Query> queryCodec();

/// Reads `[{"field": …, "direction": "asc" | "desc"}, …]`.
schema::Codec<std::vector<SortKey>> sortCodec();

}  // namespace spindle::query
