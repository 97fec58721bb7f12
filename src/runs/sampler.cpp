#include "runs/sampler.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace spindle::runs {
namespace {

SamplePoint pointOf(std::int64_t step, double value) {
  SamplePoint point;
  point.step = step;
  point.last_step = step;
  if (!std::isfinite(value)) return point;
  point.count = 1;
  point.min = point.max = point.mean = point.last = value;
  return point;
}

/// Adds a value to a point. `mean` contains the sum until finish() divides it.
void join(SamplePoint& point, std::int64_t step, double value) {
  point.last_step = step;
  if (!std::isfinite(value)) return;
  point.min = std::min(point.min.value_or(value), value);
  point.max = std::max(point.max.value_or(value), value);
  point.mean = point.mean.value_or(0) + value;
  point.last = value;
  ++point.count;
}

}  // namespace

Sampler::Sampler(std::int64_t first_step, std::int64_t last_step, std::size_t points)
    : first_step_(first_step),
      width_(std::max<std::int64_t>(
          1, (last_step - first_step) / static_cast<std::int64_t>(points) + 1)),
      limit_(points) {}

void Sampler::add(std::int64_t step, double value) {
  if (held_ && held_step_ != step) take(held_step_, held_value_);
  held_ = true;
  held_step_ = step;
  held_value_ = value;
}

void Sampler::take(std::int64_t step, double value) {
  ++count_;
  if (static_cast<std::size_t>(count_) <= limit_) single_.push_back(pointOf(step, value));
  const std::int64_t place = (step - first_step_) / width_;
  const bool same = !divided_.empty() && (divided_.back().step - first_step_) / width_ == place;
  if (same) {
    join(divided_.back(), step, value);
  } else {
    divided_.push_back(pointOf(step, value));
  }
}

std::vector<SamplePoint> Sampler::finish() {
  if (held_) take(held_step_, held_value_);
  held_ = false;
  if (static_cast<std::size_t>(count_) <= limit_) return std::move(single_);
  for (SamplePoint& point : divided_) {
    if (point.mean) *point.mean /= static_cast<double>(point.count);
  }
  return std::move(divided_);
}

}  // namespace spindle::runs
