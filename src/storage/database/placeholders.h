#pragma once

#include <bit>
#include <cstddef>

#include "base/core/sql_text.h"

namespace spindle::storage {

/// Returns the number of question marks for a list of `count` values: a power of two, so that lists
/// of all lengths share a few statements. Callers repeat the last value for the remaining ones.
inline std::size_t paddedCount(std::size_t count) { return std::bit_ceil(count); }

/// Returns `(?, ?, ?)`, repeated `groups` times: for VALUES, or once for IN.
inline SqlText placeholders(std::size_t count, std::size_t groups = 1) {
  SqlText group("(");
  for (std::size_t i = 0; i < count; ++i) group += i == 0 ? SqlView("?") : SqlView(", ?");
  group += ")";
  SqlText out;
  for (std::size_t i = 0; i < groups; ++i) out.add(i == 0 ? SqlView() : SqlView(", ")).add(group);
  return out;
}

}  // namespace spindle::storage
