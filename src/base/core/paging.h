#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace spindle {

/// Maximum number of sort keys of a query. More are refused with 422.
inline constexpr std::size_t kMaxSortKeys = 16;

/// More rows than any store contains.
inline constexpr std::int64_t kMaxRows = 1'000'000'000'000'000;

/// Returns `count`, at most kMaxRows. A greater limit or offset selects the same rows, and the sum
/// of two bounded values does not overflow.
constexpr std::int64_t boundedRows(std::int64_t count) { return std::min(count, kMaxRows); }

}  // namespace spindle
