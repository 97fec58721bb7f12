#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace spindle {

/// Most keys that a query may sort by. More are refused with 422.
inline constexpr std::size_t kMaxSortKeys = 16;

/// More rows than any store holds.
inline constexpr std::int64_t kMaxRows = 1'000'000'000'000'000;

/// Returns `count`, at most kMaxRows: a limit or an offset beyond that asks for the same rows, and
/// the sum of two bounded ones does not overflow.
constexpr std::int64_t boundedRows(std::int64_t count) { return std::min(count, kMaxRows); }

}  // namespace spindle
