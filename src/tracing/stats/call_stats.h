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

/// Maximum number of values with their own rows, when calls are grouped.
inline constexpr std::size_t kMaxGroups = 20;

/// When percentiles of calls are those of a sample. Buckets that would have fewer than `least`
/// calls in the sample are read completely.
struct PercentileSampling {
  std::int64_t max_exact = 2'000'000;  ///< number of calls
  std::int64_t sample = 1'000'000;     ///< number of calls, about
  std::int64_t least = 1'000;
};

struct CallStatsQuery {
  CallQuery selection = {};
  Buckets buckets = {};
  std::vector<Figure> usage_figures = {};
  std::vector<Figure> call_figures = {};
  const pricing::ProjectPrices* prices = nullptr;  ///< needed for costs
  /// The dimension by which all rows are grouped: a field of the query language, `status`, `user`,
  /// `model` or `trace_roots_only`. A call with several models belongs to the group of each. Usage
  /// is then by group instead of by model.
  std::optional<std::string> group_by = {};
  PercentileSampling sampling = {};
};

/// The result of one bucket; for usage figures also of one model, or of one group if calls are
/// grouped.
struct BucketRow {
  std::size_t bucket = 0;
  std::string model;
  std::int64_t count = 0;
  std::vector<FigureValue> values;  ///< in the order of the figures
  std::size_t group = 0;            ///< index in CallStats::groups
};

/// Calls with the same value of a dimension.
struct CallGroup {
  enum class Kind {
    kValue,
    kMissing,  ///< calls without a value
    kOther,    ///< calls with any other value
  };
  Kind kind = Kind::kValue;
  std::string value = {};
  std::int64_t calls = 0;

  bool operator==(const CallGroup&) const = default;
};

/// Contains only non-empty buckets; readers add the empty ones. Sorted by bucket, and by model or
/// group.
struct CallStats {
  std::vector<BucketRow> usage;
  std::vector<BucketRow> calls;
  /// The values with the most calls, most first; then missing and other values, if there are any.
  std::vector<CallGroup> groups;
  bool sampled = false;  ///< percentiles of calls are those of a sample
};

/// Division of the rows of one bucket.
enum class Series { kNone, kModels, kGroups };

/// Inserts rows for empty buckets: one row for each bucket and each model seen, or each of
/// `groups`.
/// @return kInvalidArgument if there are too many.
Result<std::vector<BucketRow>> withEmptyBuckets(std::vector<BucketRow> rows,
                                                const Buckets& buckets,
                                                const std::vector<Figure>& figures,
                                                Series series,
                                                std::size_t groups = 0);

}  // namespace spindle::tracing
