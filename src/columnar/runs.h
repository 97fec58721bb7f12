#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"

namespace spindle::columnar {

/// Rows that lie between two moments, both included; how they are spread is not known.
struct Run {
  Timestamp first;
  Timestamp last;
  std::int64_t rows = 0;
};

/// The latest moment such that about `rows` rows (or more) lie at or after it; empty when there are
/// fewer.
std::optional<Timestamp> newestEdge(const std::vector<Run>& runs, std::size_t rows);
/// The earliest moment such that about `rows` rows (or more) lie at or before it.
std::optional<Timestamp> oldestEdge(const std::vector<Run>& runs, std::size_t rows);

/// Merges neighbours, the smallest first, until no more than `limit` runs are left.
void shorten(std::vector<Run>& runs, std::size_t limit);

}  // namespace spindle::columnar
