#include "columnar/tables/runs.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace spindle::columnar {
namespace {

/// Returns the number of rows of the run at or after a time, assuming an even distribution.
double rowsFrom(const Run& run, std::int64_t micros) {
  const std::int64_t first = microsOf(run.first);
  const std::int64_t last = microsOf(run.last);
  const auto rows = static_cast<double>(run.rows);
  if (micros <= first) return rows;
  if (micros > last) return 0;
  return rows * static_cast<double>(last - micros + 1) / static_cast<double>(last - first + 1);
}

double rowsUntil(const Run& run, std::int64_t micros) {
  return static_cast<double>(run.rows) - rowsFrom(run, micros + 1);
}

struct Bounds {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  std::int64_t rows = 0;
};

Bounds boundsOf(const std::vector<Run>& runs) {
  Bounds bounds;
  for (const Run& run : runs) {
    bounds.first = std::min(bounds.first, microsOf(run.first));
    bounds.last = std::max(bounds.last, microsOf(run.last));
    bounds.rows += run.rows;
  }
  return bounds;
}

/// Returns the time nearest to `too_few` at which the runs have `rows` rows or more, by bisection.
/// They have them at `enough`.
Timestamp edgeOf(const std::vector<Run>& runs,
                 std::size_t rows,
                 std::int64_t enough,
                 std::int64_t too_few,
                 double (*rows_at)(const Run& run, std::int64_t micros)) {
  while (std::max(enough, too_few) - std::min(enough, too_few) > 1) {
    const std::int64_t middle = std::midpoint(std::min(enough, too_few), std::max(enough, too_few));
    double count = 0;
    for (const Run& run : runs) count += rows_at(run, middle);
    (count >= static_cast<double>(rows) ? enough : too_few) = middle;
  }
  return timestampOfMicros(enough);
}

Run merged(const Run& a, const Run& b) {
  return {std::min(a.first, b.first), std::max(a.last, b.last), a.rows + b.rows};
}

}  // namespace

std::optional<Timestamp> newestEdge(const std::vector<Run>& runs, std::size_t rows) {
  const Bounds bounds = boundsOf(runs);
  if (bounds.rows < static_cast<std::int64_t>(rows) || bounds.rows == 0) return std::nullopt;
  return edgeOf(runs, rows, bounds.first, bounds.last + 1, rowsFrom);
}

std::optional<Timestamp> oldestEdge(const std::vector<Run>& runs, std::size_t rows) {
  const Bounds bounds = boundsOf(runs);
  if (bounds.rows < static_cast<std::int64_t>(rows) || bounds.rows == 0) return std::nullopt;
  return edgeOf(runs, rows, bounds.last, bounds.first - 1, rowsUntil);
}

void shorten(std::vector<Run>& runs, std::size_t limit) {
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
  while (runs.size() > limit && runs.size() > 1) {
    std::size_t smallest = 0;
    for (std::size_t i = 1; i + 1 < runs.size(); ++i) {
      if (runs[i].rows + runs[i + 1].rows < runs[smallest].rows + runs[smallest + 1].rows) {
        smallest = i;
      }
    }
    runs[smallest] = merged(runs[smallest], runs[smallest + 1]);
    runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(smallest) + 1);
  }
}

}  // namespace spindle::columnar
