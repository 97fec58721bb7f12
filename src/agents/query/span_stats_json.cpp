#include "agents/query/span_stats_json.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "agents/query/span_view_json.h"
#include "agents/store/record_members.h"
#include "agents/store/span_store.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "schema/validated_json.h"
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

std::string rowsJson(const SpanStats& stats) {
  std::string text;
  json::Writer out(text);
  out.beginArray();
  for (const std::vector<Cell>& row : stats.rows) {
    out.beginObject();
    for (std::size_t i = 0; i < row.size(); ++i) {
      out.key(stats.columns[i].name);
      writeCell(row[i], out);
    }
    out.endObject();
  }
  out.endArray();
  return text;
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

schema::Codec<ValueType> valueTypeCodec() {
  return enumerationOf(
      {ValueType::kDateTime, ValueType::kNumber, ValueType::kBoolean, ValueType::kString});
}

schema::Codec<SpanStatsReply> spanStatsCodec() {
  using schema::dateTime, schema::list, schema::literal, schema::nullable, schema::string;
  using C = StatsColumn;
  using R = SpanStatsReply;
  schema::Record<C> column("SpanStatsColumn");
  column.required("name", &C::name, string(), "Name of the member in each row.")
      .required("role", &C::role, literal({"time", "bucket", "group", "metric"}))
      .required("value_type", &C::type, valueTypeCodec());
  addMembers(column, nullable(string()),
             {{"metric", &C::metric}, {"aggregation", &C::aggregation}});
  return schema::Record<R>("SpanStats")
      .required("start", &R::start, dateTime())
      .required("end", &R::end, dateTime())
      .required("granularity", &R::granularity, nullable(schema::integer()),
                "Null for numeric buckets.")
      .required("timezone", &R::timezone, string())
      .required("bucket_type", &R::bucket_type, literal({"time", "number"}))
      .required("columns", &R::columns, list(column.codec()))
      .required("rows", &R::rows, schema::validatedJson(list(schema::jsonObject())))
      .codec();
}

Result<SpanStatsReply> computeSpanStats(const SpanStore& spans,
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
  SpanStats stats = TRY(spans.readSpanStats(project_id, stats_query, prices));

  SpanStatsReply reply;
  reply.start = body.start;
  reply.end = end;
  if (!stats_query.numeric) reply.granularity = stats_query.buckets.granularity.count();
  reply.timezone = std::move(body.timezone);
  reply.bucket_type = stats_query.numeric ? "number" : "time";
  reply.rows.json = rowsJson(stats);
  reply.columns = std::move(stats.columns);
  return reply;
}

}  // namespace spindle::agents
