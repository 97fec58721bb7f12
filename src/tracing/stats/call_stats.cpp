#include "tracing/stats/call_stats.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

namespace spindle::tracing {
namespace {

using std::chrono::days, std::chrono::hours, std::chrono::minutes, std::chrono::seconds,
    std::chrono::sys_days;

std::string_view aggregationName(Aggregation aggregation) {
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

/// Returns `p95`, `p99.9`.
std::string percentileName(double percentile) {
  std::array<char, 32> digits{};
  const auto [end, failed] =
      std::to_chars(digits.data(), digits.data() + digits.size(), percentile);
  return "p" + std::string(digits.data(), failed == std::errc() ? end : digits.data());
}

bool isWhole(const Figure& figure) {
  if (!figure.aggregation) return false;
  switch (*figure.aggregation) {
    case Aggregation::kCount:
    case Aggregation::kCountTrue:
    case Aggregation::kCountFalse:
      return true;
    case Aggregation::kAvg:
      return false;
    case Aggregation::kSum:
    case Aggregation::kMin:
    case Aggregation::kMax:
      return !isCost(figure.metric);
  }
  return false;
}

bool isZeroWhenEmpty(const Figure& figure) {
  return figure.aggregation && *figure.aggregation != Aggregation::kMin &&
         *figure.aggregation != Aggregation::kMax;
}

seconds granularityFor(std::chrono::microseconds range) {
  if (range <= hours(2)) return minutes(5);
  if (range <= hours(12)) return hours(1);
  if (range <= days(3)) return hours(6);
  if (range <= days(14)) return hours(12);
  return days(1);
}

bool fitsDays(seconds granularity) {
  return days(1) % granularity == seconds(0) || granularity % days(1) == seconds(0);
}

std::vector<Timestamp> sinceEpoch(Timestamp start, Timestamp end, seconds step) {
  const auto micros = std::chrono::microseconds(step).count();
  const std::int64_t since = microsOf(start);
  const std::int64_t passed = (since % micros + micros) % micros;
  std::vector<Timestamp> begins;
  for (Timestamp begin = timestampOfMicros(since - passed); begin < end; begin += step)
    begins.push_back(begin);
  return begins;
}

std::vector<Timestamp> fromMidnight(Timestamp start,
                                    Timestamp end,
                                    seconds step,
                                    const TimeZone& zone) {
  const days together = std::max(days(1), std::chrono::floor<days>(step));
  sys_days day = zone.dayOf(start);
  const days passed(((day.time_since_epoch() % together) + together) % together);
  day -= passed;
  std::vector<Timestamp> begins;
  while (zone.beginOf(day) < end) {
    const Timestamp next_day = zone.beginOf(day + together);
    for (Timestamp begin = zone.beginOf(day); begin < std::min(next_day, end); begin += step) {
      // Drop buckets that end before the start.
      if (begin <= start) begins.clear();
      begins.push_back(begin);
      if (step >= days(1)) break;
    }
    day += together;
  }
  return begins;
}

}  // namespace

std::string_view nameOf(Metric metric) {
  switch (metric) {
    case Metric::kInputTokens:
      return "input_tokens";
    case Metric::kOutputTokens:
      return "output_tokens";
    case Metric::kTotalTokens:
      return "total_tokens";
    case Metric::kCacheReadTokens:
      return "cache_read_input_tokens";
    case Metric::kCacheCreationTokens:
      return "cache_creation_input_tokens";
    case Metric::kInputCost:
      return "input_cost";
    case Metric::kOutputCost:
      return "output_cost";
    case Metric::kTotalCost:
      return "total_cost";
    case Metric::kLatency:
      return "latency_ms";
    case Metric::kCallCount:
      return "call_count";
    case Metric::kErrorCount:
      return "error_count";
  }
  return "";
}

bool isCost(Metric metric) {
  return metric == Metric::kInputCost || metric == Metric::kOutputCost ||
         metric == Metric::kTotalCost;
}

std::vector<Figure> figuresOf(const std::vector<MetricRequest>& requests) {
  std::vector<Figure> figures;
  std::set<std::string> keys;
  const auto add = [&](Figure figure) {
    if (keys.insert(figure.key).second) figures.push_back(std::move(figure));
  };
  for (const MetricRequest& request : requests) {
    const std::string tail = "_" + std::string(nameOf(request.metric));
    for (const Aggregation aggregation : request.aggregations)
      add({std::string(aggregationName(aggregation)) + tail, request.metric, aggregation, 0});
    for (const double percentile : request.percentiles)
      add({percentileName(percentile) + tail, request.metric, std::nullopt, percentile});
  }
  return figures;
}

FigureValue valueOf(const Figure& figure, std::optional<double> number) {
  if (!number && isZeroWhenEmpty(figure)) number = 0;
  if (!number) return std::monostate();
  if (!isWhole(figure)) return *number;
  constexpr double kMost = 9.2e18;  // fits into 64 bits
  return static_cast<std::int64_t>(std::llround(std::clamp(*number, -kMost, kMost)));
}

Buckets cutIntoBuckets(Timestamp start,
                       Timestamp end,
                       std::optional<std::int64_t> granularity,
                       const TimeZone& zone) {
  Buckets buckets;
  buckets.start = start;
  buckets.end = end;
  const std::chrono::microseconds range = std::max(end - start, std::chrono::microseconds(0));
  const seconds shortest((std::chrono::ceil<seconds>(range).count() + kMaxBuckets - 1) /
                         kMaxBuckets);
  constexpr std::int64_t kLongest = 10'000'000'000;  // centuries: sums do not overflow
  const seconds wanted =
      granularity ? seconds(std::min(*granularity, kLongest)) : granularityFor(range);
  buckets.granularity = std::max({wanted, shortest, seconds(1)});
  while (true) {
    const bool local = !zone.isUtc() && fitsDays(buckets.granularity);
    buckets.begins = local ? fromMidnight(start, end, buckets.granularity, zone)
                           : sinceEpoch(start, end, buckets.granularity);
    if (buckets.begins.size() <= static_cast<std::size_t>(kMaxBuckets)) return buckets;
    buckets.granularity += seconds(1);
  }
}

std::vector<BucketRun> runsOf(const Buckets& buckets) {
  std::vector<BucketRun> runs;
  for (std::size_t i = 0; i < buckets.begins.size(); ++i) {
    const bool follows = i > 0 && buckets.begins[i] - buckets.begins[i - 1] == buckets.granularity;
    if (!follows) runs.push_back({buckets.begins[i], i, i});
    runs.back().last = i;
  }
  return runs;
}

Result<std::vector<BucketRow>> withEmptyBuckets(std::vector<BucketRow> rows,
                                                const Buckets& buckets,
                                                const std::vector<Figure>& figures,
                                                bool by_model) {
  std::set<std::string> models;
  if (!by_model) models.insert("");
  for (const BucketRow& row : rows) models.insert(row.model);
  if (models.size() * buckets.begins.size() > kMaxBucketRows) {
    return Error::invalidArgument("Too many buckets for " + std::to_string(models.size()) +
                                  " models: choose a larger granularity or a shorter range");
  }
  std::vector<FigureValue> nothing;
  for (const Figure& figure : figures) nothing.push_back(valueOf(figure, std::nullopt));
  std::vector<BucketRow> all;
  all.reserve(models.size() * buckets.begins.size());
  auto known = rows.begin();
  for (std::size_t bucket = 0; bucket < buckets.begins.size(); ++bucket) {
    for (const std::string& model : models) {
      if (known != rows.end() && known->bucket == bucket && known->model == model) {
        all.push_back(std::move(*known++));
      } else {
        all.push_back({bucket, model, 0, nothing});
      }
    }
  }
  return all;
}

}  // namespace spindle::tracing
