#include "tracing/store/call_measure.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tracing/stats/call_stats.h"

namespace spindle::tracing {
namespace {

std::optional<double> numberOf(const FigureValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::nullopt;
}

/// Sums the first value of all rows.
std::optional<double> sumOf(const std::vector<BucketRow>& rows) {
  std::optional<double> sum;
  for (const BucketRow& row : rows) {
    if (const std::optional<double> number = numberOf(row.values[0]))
      sum = sum.value_or(0) + *number;
  }
  return sum;
}

}  // namespace

Result<std::optional<double>> measureCalls(CallView& view,
                                           std::string_view measure,
                                           Timestamp from,
                                           Timestamp to,
                                           const pricing::ProjectPrices* prices) {
  CallStatsQuery query;
  query.buckets = {from, to, std::chrono::ceil<std::chrono::seconds>(to - from), {from}};
  query.prices = prices;
  if (measure == "cost") {
    query.usage_figures = figuresOf({{.metric = Metric::kTotalCost}});
  } else if (measure == "error_rate") {
    query.call_figures = figuresOf({{.metric = Metric::kErrorCount}});
  } else if (measure == "latency_ms") {
    query.call_figures =
        figuresOf({{.metric = Metric::kLatency, .aggregations = {Aggregation::kAvg}}});
  } else {
    return Error::invalidArgument("Unknown measure of calls: " + std::string(measure) + ".");
  }
  const CallStats stats = TRY(view.stats(query));
  if (measure == "cost") return sumOf(stats.usage);
  if (stats.calls.empty() || stats.calls[0].count == 0) return std::optional<double>();
  if (measure == "latency_ms") return numberOf(stats.calls[0].values[0]);
  return std::optional<double>(numberOf(stats.calls[0].values[0]).value_or(0) /
                               static_cast<double>(stats.calls[0].count));
}

}  // namespace spindle::tracing
