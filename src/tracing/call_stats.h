#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "tracing/call_selection.h"
#include "tracing/time_zone.h"

namespace spindle::pricing {
class ProjectPrices;
}

namespace spindle::tracing {

/// What is measured: of the usage of models, or of calls.
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

/// How the values of a bucket become one. True are values other than zero.
enum class Aggregation { kSum, kAvg, kMin, kMax, kCount, kCountTrue, kCountFalse };

/// What a client wants to know of one metric.
struct MetricWish {
  Metric metric = Metric::kCallCount;
  std::vector<Aggregation> aggregations = {Aggregation::kSum};
  std::vector<double> percentiles = {};  ///< 0 to 100
};

/// One member of every bucket.
struct Figure {
  std::string key;  ///< `sum_input_tokens`, `p95_latency_ms`
  Metric metric = Metric::kCallCount;
  std::optional<Aggregation> aggregation = {};  ///< empty: the percentile
  double percentile = 0;
};

/// The figures that wishes come to, each once.
std::vector<Figure> figuresOf(const std::vector<MetricWish>& wishes);

std::string_view nameOf(Metric metric);
bool isCost(Metric metric);

/// The value of a figure: nothing, a whole number, or a number.
using FigureValue = std::variant<std::monostate, std::int64_t, double>;

/// What the number that the store found means as a figure; no number is an empty bucket.
FigureValue valueOf(const Figure& figure, std::optional<double> number);

/// Most buckets of one answer, and most rows: every model has a row in every bucket.
inline constexpr std::int64_t kMaxBuckets = 10'000;
inline constexpr std::size_t kMaxBucketRows = 250'000;
/// The longest time that one answer covers.
inline constexpr std::chrono::days kMaxStatsRange{31};

/// Time cut into buckets. All are as long as the granularity says, but for those that a change of
/// clocks makes longer or shorter, and for the first and the last, of which only the part between
/// `start` and `end` counts.
struct Buckets {
  Timestamp start;  ///< inclusive
  Timestamp end;    ///< exclusive
  std::chrono::seconds granularity{1};
  std::vector<Timestamp> begins;
};

/// Buckets that hold the time from `start` to `end`, at most kMaxBuckets. Without a granularity one
/// that suits the range. Those that fit into a day, or that days fit into, begin at midnight of the
/// zone; others are multiples of their length since 1970.
Buckets cutIntoBuckets(Timestamp start,
                       Timestamp end,
                       std::optional<std::int64_t> granularity,
                       const TimeZone& zone);

/// Buckets that follow each other at equal distances.
struct BucketRun {
  Timestamp begin;
  std::size_t first = 0;  ///< the number of the first
  std::size_t last = 0;   ///< and of the last, which may be longer or shorter than the others
};
std::vector<BucketRun> runsOf(const Buckets& buckets);

struct CallStatsQuery {
  CallFilter filter = {};
  Buckets buckets = {};
  std::vector<Figure> usage_figures = {};
  std::vector<Figure> call_figures = {};
  const pricing::ProjectPrices* prices = nullptr;  ///< needed for costs
};

/// What was counted in one bucket, of one model where models are counted.
struct BucketRow {
  std::size_t bucket = 0;
  std::string model;
  std::int64_t count = 0;
  std::vector<FigureValue> values;  ///< in the order of the figures
};

/// Only what there is: empty buckets are left to the reader. Rows are in order of bucket and model.
struct CallStats {
  std::vector<BucketRow> usage;
  std::vector<BucketRow> calls;
};

/// The rows with those of empty buckets between them: one for each bucket and each model seen.
/// @return kInvalidArgument when that are too many.
Result<std::vector<BucketRow>> withEmptyBuckets(std::vector<BucketRow> rows,
                                                const Buckets& buckets,
                                                const std::vector<Figure>& figures,
                                                bool by_model);

}  // namespace spindle::tracing
