#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/store/span_query.h"
#include "agents/store/span_stats.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "json/writer.h"
#include "schema/type.h"

namespace spindle::pricing {
class ProjectPrices;
}

namespace spindle::agents {

class SpanStore;

/// A request for statistics of spans.
struct SpanStatsRequest {
  std::string project_id;
  std::optional<query::Query> query;
  Timestamp start;
  std::optional<Timestamp> end;
  std::optional<std::int64_t> granularity;
  std::string timezone = "UTC";
  std::vector<GroupBy> group_by;
  std::vector<StatsMetric> metrics;
  std::int64_t group_limit = 50;
  std::optional<NumericBuckets> numeric;  ///< without it: buckets of time
  std::vector<GroupFilter> group_filters;
  std::optional<SignalFilters> signal_filters;
};

/// Returns the default bucket length in seconds for a time range.
std::int64_t automaticGranularity(Timestamp start, Timestamp end);

/// The response. `rows` is a list of objects with a member for each column.
struct SpanStatsReply {
  Timestamp start;
  Timestamp end;
  std::optional<std::int64_t> granularity;  ///< null for numeric buckets
  std::string timezone;
  std::string bucket_type;
  std::vector<StatsColumn> columns;
  json::Text rows;
};
schema::Codec<SpanStatsReply> spanStatsCodec();
schema::Codec<ValueType> valueTypeCodec();

/// @return kInvalidArgument for an unknown time zone or a range that is too long; the errors of
/// SpanStore::readSpanStats().
Result<SpanStatsReply> computeSpanStats(const SpanStore& spans,
                                        const pricing::ProjectPrices& prices,
                                        std::string_view project_id,
                                        SpanStatsRequest body,
                                        Timestamp now);

}  // namespace spindle::agents
