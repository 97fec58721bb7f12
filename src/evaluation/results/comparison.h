#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spindle::evaluation {

// Paired comparison of two runs over the same rows. Pure functions, deterministic.

/// A row with a value in both runs. A higher value is better.
struct PairedRow {
  std::string row_digest;
  double baseline = 0;
  double value = 0;

  double difference() const { return value - baseline; }
};

/// A row with a lower value than the baseline.
struct WorseRow : PairedRow {
  double change = 0;  ///< difference(), negative
};

struct BootstrapOptions {
  double confidence = 0.95;       ///< between 0 and 1, exclusive
  std::int64_t resamples = 2000;  ///< at least 1
  std::int64_t seed = 0;          ///< not negative
};

struct Interval {
  double low = 0;
  double high = 0;
};

struct PairedComparison {
  std::int64_t rows = 0;
  // These are empty if there are no rows.
  std::optional<double> baseline_mean = {};
  std::optional<double> mean = {};
  std::optional<double> mean_difference = {};
  std::optional<Interval> interval = {};  ///< confidence interval of the mean difference
  std::int64_t wins = 0;                  ///< rows with a higher value than the baseline
  std::int64_t ties = 0;
  std::int64_t losses = 0;
};

/// Random number generator SplitMix64 (Steele, Lea, Flood 2014): 64 bits of state, the same numbers
/// on every platform.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();

 private:
  std::uint64_t state_;
};

/// Computes a percentile bootstrap of the mean difference. Each of the `resamples` resamples draws
/// as many rows as given, with replacement: the index of a row is next() modulo the number of rows,
/// in the given order. The interval is bounded by the quantiles (1 - confidence) / 2 and
/// (1 + confidence) / 2 of the means, with linear interpolation between neighbours.
PairedComparison comparePaired(const std::vector<PairedRow>& rows, const BootstrapOptions& options);

/// Returns the rows with a lower value than the baseline, lowest difference first, then by digest.
std::vector<WorseRow> worseRows(const std::vector<PairedRow>& rows);

}  // namespace spindle::evaluation
