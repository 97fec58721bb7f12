#include "tracing/stats/call_stats.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

namespace spindle::tracing {
namespace {

/// Names in the order of Metric.
constexpr auto kMetricNames = std::to_array<std::string_view>(
    {"input_tokens", "output_tokens", "total_tokens", "cache_read_input_tokens",
     "cache_creation_input_tokens", "input_cost", "output_cost", "total_cost", "latency_ms",
     "call_count", "error_count"});

/// Returns `p95`, `p99.9`.
std::string percentileName(double percentile) {
  std::array<char, 32> digits{};
  const auto [end, failed] =
      std::to_chars(digits.data(), digits.data() + digits.size(), percentile);
  return "p" + std::string(digits.data(), failed == std::errc() ? end : digits.data());
}

bool isWhole(const Figure& figure) {
  if (!figure.aggregation) return false;
  if (isCount(*figure.aggregation)) return true;
  return *figure.aggregation != Aggregation::kAvg && !isCost(figure.metric);
}

bool isZeroWhenEmpty(const Figure& figure) {
  return figure.aggregation && *figure.aggregation != Aggregation::kMin &&
         *figure.aggregation != Aggregation::kMax;
}

}  // namespace

std::string_view nameOf(Metric metric) { return kMetricNames.at(static_cast<std::size_t>(metric)); }

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
      add({std::string(textOf(aggregation)) + tail, request.metric, aggregation, 0});
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

Result<std::vector<BucketRow>> withEmptyBuckets(std::vector<BucketRow> rows,
                                                const Buckets& buckets,
                                                const std::vector<Figure>& figures,
                                                Series series,
                                                std::size_t groups) {
  using Key = std::pair<std::string, std::size_t>;  // model and group
  std::set<Key> keys;
  if (series == Series::kNone) keys.emplace();
  if (series == Series::kModels) {
    for (const BucketRow& row : rows) keys.insert({row.model, 0});
  }
  for (std::size_t group = 0; series == Series::kGroups && group < groups; ++group)
    keys.insert({"", group});
  if (keys.size() * buckets.begins.size() > kMaxBucketRows) {
    return Error::invalidArgument("Too many buckets for " + std::to_string(keys.size()) +
                                  (series == Series::kModels ? " models" : " groups") +
                                  ": choose a larger granularity or a shorter range");
  }
  std::vector<FigureValue> nothing;
  nothing.reserve(figures.size());
  for (const Figure& figure : figures) nothing.push_back(valueOf(figure, std::nullopt));
  std::vector<BucketRow> all;
  all.reserve(keys.size() * buckets.begins.size());
  auto known = rows.begin();
  for (std::size_t bucket = 0; bucket < buckets.begins.size(); ++bucket) {
    for (const auto& [model, group] : keys) {
      if (known != rows.end() && known->bucket == bucket && known->model == model &&
          known->group == group) {
        all.push_back(std::move(*known++));
      } else {
        all.push_back({bucket, model, 0, nothing, group});
      }
    }
  }
  return all;
}

}  // namespace spindle::tracing
