#include "agents/query/span_stats_json.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "agents/query/span_view_json.h"
#include "agents/store/span_store.h"
#include "json/writer.h"
#include "statistics/buckets.h"

namespace spindle::agents {
namespace {

/// Returns the bucket length in seconds, large enough for at most statistics::kMaxBuckets buckets.
std::int64_t granularityOf(const SpanStatsRequest& body, Timestamp end) {
  std::int64_t seconds = body.granularity.value_or(automaticGranularity(body.start, end));
  const auto range = std::chrono::ceil<std::chrono::seconds>(end - body.start).count();
  const std::int64_t least = (range + statistics::kMaxBuckets - 1) / statistics::kMaxBuckets;
  return std::max({seconds, least, std::int64_t{1}});
}

void writeStats(const SpanStats& stats, json::Writer& out) {
  const auto text = [&out](const std::optional<std::string>& value) {
    if (value) {
      out.string(*value);
    } else {
      out.null();
    }
  };
  out.key("columns").beginArray();
  for (const StatsColumn& column : stats.columns) {
    out.beginObject().key("name").string(column.name).key("role").string(column.role);
    out.key("value_type").string(nameOf(column.type)).key("metric");
    text(column.metric);
    out.key("aggregation");
    text(column.aggregation);
    out.endObject();
  }
  out.endArray().key("rows").beginArray();
  for (const std::vector<Cell>& row : stats.rows) {
    out.beginObject();
    for (std::size_t i = 0; i < row.size(); ++i) {
      out.key(stats.columns[i].name);
      writeCell(row[i], out);
    }
    out.endObject();
  }
  out.endArray();
}

}  // namespace

std::int64_t automaticGranularity(Timestamp start, Timestamp end) {
  using std::chrono::hours;
  struct Step {
    hours range;
    std::int64_t seconds;
  };
  constexpr auto kSteps = std::to_array<Step>(
      {{hours(2), 300}, {hours(12), 3600}, {hours(3 * 24), 21'600}, {hours(14 * 24), 43'200}});
  for (const Step& step : kSteps) {
    if (end - start <= step.range) return step.seconds;
  }
  return 86'400;
}

Result<std::string> spanStatsJson(const SpanStore& spans,
                                  const pricing::ProjectPrices& prices,
                                  std::string_view project_id,
                                  SpanStatsRequest body,
                                  Timestamp now) {
  const Timestamp end = body.end.value_or(now);
  if (end <= body.start) return Error::invalidArgument("end must be after start");
  const bool narrow = !body.group_by.empty() || !body.group_filters.empty() || body.numeric;
  if (narrow && end - body.start > statistics::kMaxRange)
    return Error::invalidArgument("The time range cannot exceed 31 days");
  const statistics::TimeZone zone = TRY(statistics::loadTimeZone(body.timezone));

  SpanStatsQuery stats_query;
  stats_query.query = std::move(body.query);
  const std::int64_t granularity = granularityOf(body, end);
  stats_query.buckets = statistics::cutIntoBuckets(body.start, end, granularity, zone);
  stats_query.group_by = std::move(body.group_by);
  stats_query.metrics = std::move(body.metrics);
  stats_query.group_limit = body.group_limit;
  stats_query.numeric = std::move(body.numeric);
  stats_query.group_filters = std::move(body.group_filters);
  stats_query.signals = std::move(body.signal_filters).value_or(SignalFilters());
  const SpanStats stats = TRY(spans.readSpanStats(project_id, stats_query, prices));

  std::string text;
  json::Writer out(text);
  out.beginObject().key("start").string(formatTimestamp(body.start));
  out.key("end").string(formatTimestamp(end)).key("granularity");
  if (stats_query.numeric) {
    out.null();
  } else {
    out.integer(stats_query.buckets.granularity.count());
  }
  out.key("timezone").string(body.timezone);
  out.key("bucket_type").string(stats_query.numeric ? "number" : "time");
  writeStats(stats, out);
  out.endObject();
  return text;
}

}  // namespace spindle::agents
