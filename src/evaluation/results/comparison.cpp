#include "evaluation/results/comparison.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace spindle::evaluation {
namespace {

template <class Value>
double meanOf(const std::vector<PairedRow>& rows, const Value& value) {
  double sum = 0;
  for (const PairedRow& row : rows) sum += value(row);
  return sum / static_cast<double>(rows.size());
}

/// Returns a quantile of sorted values. The vector must not be empty.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = place - static_cast<double>(below);
  return sorted[below] + (sorted[above] - sorted[below]) * share;
}

Interval bootstrap(const std::vector<PairedRow>& rows, const BootstrapOptions& options) {
  std::vector<double> differences;
  differences.reserve(rows.size());
  for (const PairedRow& row : rows) differences.push_back(row.difference());
  SplitMix64 random(static_cast<std::uint64_t>(options.seed));
  std::vector<double> means(static_cast<std::size_t>(options.resamples));
  for (double& mean : means) {
    double sum = 0;
    for (std::size_t i = 0; i < differences.size(); ++i)
      sum += differences[random.next() % differences.size()];
    mean = sum / static_cast<double>(differences.size());
  }
  std::sort(means.begin(), means.end());
  return {quantile(means, (1 - options.confidence) / 2),
          quantile(means, (1 + options.confidence) / 2)};
}

}  // namespace

std::uint64_t SplitMix64::next() {
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31);
}

PairedComparison comparePaired(const std::vector<PairedRow>& rows,
                               const BootstrapOptions& options) {
  PairedComparison comparison;
  comparison.rows = static_cast<std::int64_t>(rows.size());
  if (rows.empty()) return comparison;
  for (const PairedRow& row : rows) {
    if (row.value > row.baseline) ++comparison.wins;
    if (row.value == row.baseline) ++comparison.ties;
    if (row.value < row.baseline) ++comparison.losses;
  }
  comparison.baseline_mean = meanOf(rows, [](const PairedRow& row) { return row.baseline; });
  comparison.mean = meanOf(rows, [](const PairedRow& row) { return row.value; });
  comparison.mean_difference = meanOf(rows, [](const PairedRow& row) { return row.difference(); });
  comparison.interval = bootstrap(rows, options);
  return comparison;
}

std::vector<WorseRow> worseRows(const std::vector<PairedRow>& rows) {
  std::vector<WorseRow> worse;
  for (const PairedRow& row : rows) {
    if (row.value < row.baseline) worse.push_back({row, row.difference()});
  }
  std::sort(worse.begin(), worse.end(), [](const WorseRow& a, const WorseRow& b) {
    return std::tie(a.change, a.row_digest) < std::tie(b.change, b.row_digest);
  });
  return worse;
}

}  // namespace spindle::evaluation
