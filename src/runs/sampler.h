#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace spindle::runs {

/// One point of a plot: an aggregate of neighbouring values of a metric.
struct SamplePoint {
  std::int64_t step = 0;       ///< step of the first value
  std::int64_t last_step = 0;  ///< step of the last value
  std::int64_t count = 0;      ///< finite values; the members below are of these values
  std::optional<double> min;
  std::optional<double> max;
  std::optional<double> mean;
  std::optional<double> last;
};

/// Downsamples a metric of any length to at most `points` points, in one pass. Values arrive in
/// step order; if a step repeats, the later value wins. With no more values than points, each value
/// becomes a point. Otherwise the steps are divided into equal buckets, and a point has the
/// minimum, the maximum and the mean of its bucket, so that no peak is lost.
class Sampler {
 public:
  /// All values must be between the two steps, inclusive. `points` must be at least 1.
  Sampler(std::int64_t first_step, std::int64_t last_step, std::size_t points);

  void add(std::int64_t step, double value);
  std::vector<SamplePoint> finish();

  /// Returns the number of values so far; a repeated step counts once.
  std::int64_t count() const { return count_; }

 private:
  void take(std::int64_t step, double value);

  const std::int64_t first_step_;
  const std::int64_t width_;  ///< steps per bucket
  const std::size_t limit_;
  std::vector<SamplePoint> single_;   ///< one point per value, up to `limit_`
  std::vector<SamplePoint> divided_;  ///< one point per bucket, without empty buckets
  std::int64_t count_ = 0;
  bool held_ = false;  ///< true: the last value is held back, its step may repeat
  std::int64_t held_step_ = 0;
  double held_value_ = 0;
};

}  // namespace spindle::runs
