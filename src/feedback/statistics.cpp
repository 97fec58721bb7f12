#include "feedback/statistics.h"

#include <algorithm>
#include <cmath>

namespace spindle::feedback {

using namespace std::chrono_literals;

std::string_view textOf(Aggregation aggregation) {
  switch (aggregation) {
    case Aggregation::kSum:
      return "sum";
    case Aggregation::kAvg:
      return "avg";
    case Aggregation::kMin:
      return "min";
    case Aggregation::kMax:
      return "max";
    case Aggregation::kCount:
      return "count";
    case Aggregation::kCountTrue:
      return "count_true";
    case Aggregation::kCountFalse:
      return "count_false";
  }
  return "";
}

std::string percentileName(double percentile) {
  if (percentile == std::floor(percentile)) {
    return "p" + std::to_string(static_cast<std::int64_t>(percentile));
  }
  std::string text = std::to_string(percentile);
  text.erase(text.find_last_not_of('0') + 1);
  std::replace(text.begin(), text.end(), '.', '_');
  return "p" + text;
}

std::int64_t automaticGranularity(Timestamp start, Timestamp end) {
  const auto span = end - start;
  if (span <= 2h) return 300;
  if (span <= 12h) return 3600;
  if (span <= 72h) return 21'600;
  if (span <= 336h) return 43'200;
  return 86'400;
}

std::int64_t boundedGranularity(std::int64_t seconds, Timestamp start, Timestamp end) {
  const std::int64_t span = std::chrono::ceil<std::chrono::seconds>(end - start).count();
  const std::int64_t least = (span + kMaxBuckets - 2) / (kMaxBuckets - 1);
  return std::max({std::int64_t{1}, seconds, least});
}

}  // namespace spindle::feedback
