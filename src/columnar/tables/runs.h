#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/core/time.h"

namespace spindle::columnar {

/// A number of rows between two times, inclusive. Their distribution within the range is unknown.
struct Run {
  Timestamp first;
  Timestamp last;
  std::int64_t rows = 0;
};

/// Returns the latest time such that about `rows` rows or more lie at or after it, or nothing when
/// there are fewer rows.
std::optional<Timestamp> newestEdge(const std::vector<Run>& runs, std::size_t rows);
/// Returns the earliest time such that about `rows` rows or more lie at or before it.
std::optional<Timestamp> oldestEdge(const std::vector<Run>& runs, std::size_t rows);

/// Merges neighbouring runs, smallest first, until at most `limit` remain.
void shorten(std::vector<Run>& runs, std::size_t limit);

}  // namespace spindle::columnar
