#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agents/api/agent_routes.h"
#include "agents/api/span_request_schema.h"
#include "agents/query/span_stats_json.h"
#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "query/codec.h"
#include "schema/described.h"

namespace spindle::agents {
namespace {

using http::Context;
using schema::Codec, schema::dateTime, schema::integer, schema::list, schema::nullable,
    schema::number, schema::Record, schema::string;

struct TimeBuckets {
  std::string type = "time";
};
struct NumberBuckets : NumericBuckets {
  std::string type = "number";
};
using BucketBy = std::variant<TimeBuckets, NumberBuckets>;

/// The request body. `type` distinguishes the kinds of buckets.
struct SpanStatsBody : SpanStatsRequest {
  std::optional<BucketBy> bucket_by;

  const NumericBuckets* numericBuckets() const {
    return bucket_by ? std::get_if<NumberBuckets>(&*bucket_by) : nullptr;
  }
};

Codec<StatsMetric> metricCodec() {
  return Record<StatsMetric>("SpanStatsMetric")
      .required("alias", &StatsMetric::alias, aliasCodec())
      .required("value_type", &StatsMetric::value_type, valueTypeCodec())
      .required("value", &StatsMetric::value, valueRefCodec())
      .optional("aggregations", &StatsMetric::aggregations, list(aggregationCodec()),
                "Default: sum for numbers, count for other types.")
      .optional("percentiles", &StatsMetric::percentiles, list(number({.ge = 0, .le = 100})))
      .codec();
}

std::optional<schema::RuleError> checkNumber(const NumberBuckets& buckets) {
  const bool grouped = !buckets.group_by.empty() || buckets.measure;
  if (buckets.value && grouped)
    return schema::valueError("a numeric bucket has a value, or group_by and a measure");
  if (!buckets.value && (buckets.group_by.empty() || !buckets.measure))
    return schema::valueError("a numeric bucket needs a value, or group_by and a measure");
  if (buckets.min && buckets.max && *buckets.min > *buckets.max)
    return schema::valueError("min must not be greater than max");
  return std::nullopt;
}

Codec<BucketBy> bucketsCodec() {
  using N = NumberBuckets;
  const Codec<TimeBuckets> time =
      Record<TimeBuckets>("SpanTimeBuckets")
          .optional("type", &TimeBuckets::type, schema::literal({"time"}))
          .codec();
  const Codec<N> numeric = schema::described(
      Record<N>("SpanNumericBuckets")
          .optional("type", &N::type, schema::literal({"number"}))
          .optional("alias", &N::alias, aliasCodec())
          .optional("bins", &N::bins, integer({.ge = 1, .le = 200}))
          .optional("min", &N::min, nullable(number()), "Default: the smallest value.")
          .optional("max", &N::max, nullable(number()), "Default: the greatest value.")
          .optional("value", &N::value, nullable(valueRefCodec()), "The value of each span.")
          .optional("group_by", &N::group_by, groupByCodec(),
                    "With a measure: one value per group.")
          .optional("measure", &N::measure, nullable(measureCodec()))
          .check(checkNumber)
          .codec(),
      R"({"oneOf":[{"properties":{"value":{"not":{"type":"null"}},)"
      R"("group_by":{"maxItems":0},"measure":{"type":"null"}},"required":["value"]},)"
      R"({"properties":{"value":{"type":"null"},"group_by":{"minItems":1},)"
      R"("measure":{"not":{"type":"null"}}},"required":["group_by","measure"]}]})");
  return schema::taggedBy("type", schema::Alternative<TimeBuckets>{"time", time},
                          schema::Alternative<N>{"number", numeric});
}

std::optional<schema::RuleError> checkStats(const SpanStatsBody& sent) {
  const NumericBuckets* numbers = sent.numericBuckets();
  if (numbers == nullptr) {
    if (sent.metrics.empty()) return schema::valueError("at least one metric is needed");
    return std::nullopt;
  }
  if (!sent.group_by.empty())
    return schema::valueError("group_by cannot be used with numeric buckets");
  if (numbers->measure && !sent.metrics.empty())
    return schema::valueError("metrics cannot be used with buckets of groups");
  return std::nullopt;
}

Codec<SpanStatsBody> bodyCodec() {
  using B = SpanStatsBody;
  return schema::described(
      identity::projectRecord<B>("SpanStatsRequest")
          .optional("query", &B::query, nullable(query::queryCodec()), "Filter of the spans.")
          .required("start", &B::start, dateTime(), "Inclusive.")
          .optional("end", &B::end, nullable(dateTime()), "Exclusive. Default: now.")
          .optional("granularity", &B::granularity, nullable(integer({.gt = 0})),
                    "Bucket length in seconds. Default: depends on the time range.")
          .optional("timezone", &B::timezone, string(), "Time zone of the bucket boundaries.")
          .optional("group_by", &B::group_by, groupByCodec(), "Return rows for each group.")
          .optional("metrics", &B::metrics, list(metricCodec()))
          .optional("group_limit", &B::group_limit, integer({.ge = 1, .le = 1000}),
                    "Maximum number of groups; the largest are returned.")
          .optional("bucket_by", &B::bucket_by, nullable(bucketsCodec()),
                    "Default: buckets of time.")
          .optional("group_filters", &B::group_filters, groupFiltersCodec(),
                    "Only spans of matching groups. Default groups: conversations.")
          .optional("signal_filters", &B::signal_filters, nullable(signalFiltersCodec()))
          .check(checkStats)
          .codec(),
      R"({"anyOf":[{"properties":{"metrics":{"minItems":1},)"
      R"("bucket_by":{"anyOf":[{"type":"null"},{"p)"
      R"(roperties":{"type":{"const":"time"}}}]}},"required":["metrics"]},)"
      R"({"properties":{"bucket_by":{"type":"object",)"
      R"("properties":{"type":{"const":"number"}},"required":["type"]},)"
      R"("group_by":{"maxItems":0},"metrics":{"maxItems":0}},"required":["bucket_by"]},)"
      R"({"properties":{"bucket_by":{"type":"object",)"
      R"("properties":{"type":{"const":"number"},"measure":{"type":"null"}},)"
      R"("required":["type"]},"group_by":{"maxItems":0}},"required":["bucket_by"]}]})");
}

Result<SpanStatsReply> spanStats(const AgentServices& services,
                                 const Context& context,
                                 SpanStatsBody sent) {
  const tracing::ProjectScope project = TRY(readableProject(services, context, sent.project_id));
  const auto prices = TRY(services.prices(project.id));
  if (const NumericBuckets* numbers = sent.numericBuckets()) sent.numeric = *numbers;
  return computeSpanStats(services.spans, *prices, project.id, std::move(sent),
                          services.clock.now());
}

}  // namespace

void addSpanStatsRoutes(const AgentRoutes& routes) {
  routes.post("/agents/spans/stats",
              {"spanStats", "Compute statistics of spans by buckets of time or of a number"},
              {.body = bodyCodec(), .reply = spanStatsCodec()}, spanStats);
}

}  // namespace spindle::agents
