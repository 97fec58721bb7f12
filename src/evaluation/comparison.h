#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spindle::evaluation {

// Two runs over the same rows, compared row by row. Pure, deterministic.

/// A row that both runs have a value for. A higher value is a better one.
struct PairedRow {
  std::string row_digest;
  double baseline = 0;
  double value = 0;

  double difference() const { return value - baseline; }
};

struct BootstrapOptions {
  double confidence = 0.95;       ///< between 0 and 1, both excluded
  std::int64_t resamples = 2000;  ///< at least 1
  std::uint64_t seed = 0;
};

struct Interval {
  double low = 0;
  double high = 0;
};

struct PairedComparison {
  std::size_t rows = 0;
  // Empty without rows.
  std::optional<double> baseline_mean = {};
  std::optional<double> mean = {};
  std::optional<double> mean_difference = {};
  std::optional<Interval> interval = {};  ///< of the mean difference
  std::size_t wins = 0;                   ///< rows that got better
  std::size_t ties = 0;
  std::size_t losses = 0;
};

/// SplitMix64 (Steele, Lea, Flood 2014): 64 bits of state, the same numbers everywhere.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();

 private:
  std::uint64_t state_;
};

/// The percentile bootstrap of the mean difference: `resamples` times as many rows are drawn with
/// replacement as there are, each as next() modulo their number, in the order given; the interval
/// lies between the quantiles (1 - confidence) / 2 and (1 + confidence) / 2 of the means, which are
/// interpolated linearly between neighbours.
PairedComparison comparePaired(const std::vector<PairedRow>& rows, const BootstrapOptions& options);

/// The rows that got worse, the worst first, rows of equal loss by their digests.
std::vector<PairedRow> worseRows(const std::vector<PairedRow>& rows);

}  // namespace spindle::evaluation
