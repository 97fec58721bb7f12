#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/core/result.h"
#include "statistics/aggregation.h"
#include "statistics/buckets.h"
#include "tracing/calls/call_query.h"

namespace spindle::pricing {
class ProjectPrices;
}

namespace spindle::tracing {

using statistics::Aggregation, statistics::Buckets;

/// A metric of model usage or of calls.
enum class Metric {
  kInputTokens,
  kOutputTokens,
  kTotalTokens,
  kCacheReadTokens,
  kCacheCreationTokens,
  kInputCost,
  kOutputCost,
  kTotalCost,
  kLatency,
  kCallCount,
  kErrorCount,
};

/// The requested aggregations of one metric.
struct MetricRequest {
  Metric metric = Metric::kCallCount;
  std::vector<Aggregation> aggregations = {Aggregation::kSum};
  std::vector<double> percentiles = {};  ///< 0 to 100
};

/// One computed member of every bucket.
struct Figure {
  std::string key;  ///< `sum_input_tokens`, `p95_latency_ms`
  Metric metric = Metric::kCallCount;
  std::optional<Aggregation> aggregation = {};  ///< empty: a percentile
  double percentile = 0;
};

/// Returns the figures of the requested metrics, without duplicates.
std::vector<Figure> figuresOf(const std::vector<MetricRequest>& requests);

std::string_view nameOf(Metric metric);
bool isCost(Metric metric);

/// The value of a figure: null, an integer, or a number.
using FigureValue = std::variant<std::monostate, std::int64_t, double>;

/// Converts the number that the store computed to the value of a figure. No number means an empty
/// bucket.
FigureValue valueOf(const Figure& figure, std::optional<double> number);

/// Maximum number of rows in one response: every model has a row in every bucket.
inline constexpr std::size_t kMaxBucketRows = 250'000;

struct CallStatsQuery {
  CallFilter filter = {};
  Buckets buckets = {};
  std::vector<Figure> usage_figures = {};
  std::vector<Figure> call_figures = {};
  const pricing::ProjectPrices* prices = nullptr;  ///< needed for costs
};

/// The result of one bucket, per model for usage figures.
struct BucketRow {
  std::size_t bucket = 0;
  std::string model;
  std::int64_t count = 0;
  std::vector<FigureValue> values;  ///< in the order of the figures
};

/// Contains only non-empty buckets; readers add the empty ones. Sorted by bucket and model.
struct CallStats {
  std::vector<BucketRow> usage;
  std::vector<BucketRow> calls;
};

/// Inserts rows for empty buckets: one row for each bucket and each model seen.
/// @return kInvalidArgument if there are too many.
Result<std::vector<BucketRow>> withEmptyBuckets(std::vector<BucketRow> rows,
                                                const Buckets& buckets,
                                                const std::vector<Figure>& figures,
                                                bool by_model);

}  // namespace spindle::tracing
