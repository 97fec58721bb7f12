#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::runs {

/// Values as text for a store that keeps texts: Base64 of their 64 bits each.
std::string encodeValues(const std::vector<double>& values);
/// Empty when the text is not one of encodeValues().
std::vector<double> decodeValues(std::string_view text);

/// Steps that never fall. Empty when each is one more than the one before, as most often.
std::string encodeSteps(const std::vector<std::int64_t>& steps);
/// `count` steps from `first` on; empty when the text is not one of encodeSteps().
std::vector<std::int64_t> decodeSteps(std::string_view text, std::int64_t first, std::size_t count);

/// Neighbouring values of a metric, told as one point of a plot.
struct SamplePoint {
  std::int64_t step = 0;       ///< of the first value
  std::int64_t last_step = 0;  ///< of the last one
  std::int64_t count = 0;      ///< values that are numbers; the others count nowhere below
  double min = 0;
  double max = 0;
  double mean = 0;
  double last = 0;
};

/// Makes about so many points, or fewer, of a metric of any length, in one pass over it: values
/// come by step, and when two have the same step the later one counts. Where there are no more
/// values than points, each is a point. Otherwise the steps are divided evenly, and a point tells
/// the least, the greatest and the mean of its values, so that no peak is lost.
class Sampler {
 public:
  /// All values will lie between the two steps, both included; `points` is at least 1.
  Sampler(std::int64_t first_step, std::int64_t last_step, std::size_t points);

  void add(std::int64_t step, double value);
  std::vector<SamplePoint> finish();

  /// Values so far, each step once.
  std::int64_t count() const { return count_; }

 private:
  void take(std::int64_t step, double value);

  const std::int64_t first_step_;
  const std::int64_t width_;  ///< steps of one point
  const std::size_t limit_;
  std::vector<SamplePoint> single_;   ///< while they are few
  std::vector<SamplePoint> divided_;  ///< without empty ones
  std::int64_t count_ = 0;
  bool held_ = false;  ///< a value whose step may come again
  std::int64_t held_step_ = 0;
  double held_value_ = 0;
};

}  // namespace spindle::runs
