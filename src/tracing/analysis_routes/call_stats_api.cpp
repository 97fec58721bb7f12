#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "schema/validated_json.h"
#include "statistics/request_codec.h"
#include "tracing/analysis_routes/analysis_api.h"
#include "tracing/analysis_routes/call_dimension_api.h"
#include "tracing/routes/call_query_api.h"
#include "tracing/stats/call_stats.h"
#include "tracing/stats/call_stats_json.h"
#include "tracing/store/call_store.h"
#include "wire/spelling.h"

namespace spindle::tracing {
namespace {

using http::Context;
using schema::Codec, schema::list, schema::nullable, schema::Record, schema::string;

struct CallStatsBody : CallSelectionBody {
  Timestamp start;
  std::optional<Timestamp> end;
  std::optional<std::int64_t> granularity;
  std::optional<std::vector<MetricRequest>> usage_metrics;
  std::optional<std::vector<MetricRequest>> call_metrics;
  std::optional<std::string> group_by;
  std::string timezone = "UTC";
};

struct CallStatsReply {
  Timestamp start;
  Timestamp end;
  std::int64_t granularity = 0;
  std::string timezone;
  json::Text usage_buckets{"[]"};
  json::Text call_buckets{"[]"};
  std::optional<std::vector<CallGroup>> groups = {};
  std::optional<bool> sampled = {};
};

Codec<Metric> metricCodec(const std::vector<Metric>& metrics) {
  std::vector<std::pair<std::string, Metric>> names;
  names.reserve(metrics.size());
  for (const Metric metric : metrics) names.emplace_back(nameOf(metric), metric);
  return schema::enumeration(names);
}

Codec<MetricRequest> metricRequestCodec(const std::string& name,
                                        const std::vector<Metric>& metrics) {
  return Record<MetricRequest>(name)
      .required("metric", &MetricRequest::metric, metricCodec(metrics))
      .optional("aggregations", &MetricRequest::aggregations, list(statistics::aggregationCodec()))
      .optional("percentiles", &MetricRequest::percentiles,
                list(schema::number({.ge = 0, .le = 100})), "0 to 100.")
      .codec();
}

Codec<CallStatsBody> callStatsCodec(const Clock& clock) {
  const Codec<MetricRequest> usage = metricRequestCodec(
      "UsageMetric",
      {Metric::kInputTokens, Metric::kOutputTokens, Metric::kTotalTokens, Metric::kCacheReadTokens,
       Metric::kCacheCreationTokens, Metric::kInputCost, Metric::kOutputCost, Metric::kTotalCost});
  const Codec<MetricRequest> calls =
      metricRequestCodec("CallMetric", {Metric::kLatency, Metric::kCallCount, Metric::kErrorCount});
  return callSelectionRecord<CallStatsBody>("CallsStatsRequest")
      .required("start", &CallStatsBody::start, schema::dateTime(), "Inclusive.")
      .optional("end", &CallStatsBody::end, nullable(schema::dateTime()),
                "Exclusive. Default: now.")
      .optional("granularity", &CallStatsBody::granularity, nullable(schema::integer()),
                "Seconds. Default: chosen for the range. Increased so that there are at most "
                "10,000 buckets.")
      .optional("usage_metrics", &CallStatsBody::usage_metrics, nullable(list(usage)), "By model.")
      .optional("call_metrics", &CallStatsBody::call_metrics, nullable(list(calls)))
      .optional("group_by", &CallStatsBody::group_by, nullable(dimensionCodec()),
                "Divides every bucket by the values of one dimension: the 20 values with the most "
                "calls, the calls without a value and the others. Usage is then by group instead "
                "of by model.")
      .optional("timezone", &CallStatsBody::timezone, string(),
                "Time zone whose midnight aligns buckets of hours and days, such as Europe/Berlin.")
      .check([&clock](const CallStatsBody& body) {
        return statistics::checkTimeRange("CallStatsReq", body.start,
                                          body.end.value_or(clock.now()));
      })
      .codec();
}

Codec<CallGroup> callGroupCodec() {
  using Kind = CallGroup::Kind;
  return Record<CallGroup>("CallGroup")
      .required("value", &CallGroup::value, string(), "Empty for missing and other values.")
      .required("kind", &CallGroup::kind,
                schema::enumeration<Kind>({{std::string(textOf(Kind::kValue)), Kind::kValue},
                                           {std::string(textOf(Kind::kMissing)), Kind::kMissing},
                                           {std::string(textOf(Kind::kOther)), Kind::kOther}}))
      .required("count", &CallGroup::calls, schema::integer(), "Calls in the whole range.")
      .codec();
}

Codec<CallStatsReply> callStatsReplyCodec() {
  const Codec<json::Text> buckets = schema::validatedJson(list(schema::jsonObject()));
  return Record<CallStatsReply>("CallsStatsReply")
      .required("start", &CallStatsReply::start, schema::dateTime())
      .required("end", &CallStatsReply::end, schema::dateTime())
      .required("granularity", &CallStatsReply::granularity, schema::integer(), "Seconds, as used.")
      .required("timezone", &CallStatsReply::timezone, string())
      .required("usage_buckets", &CallStatsReply::usage_buckets, buckets,
                "Buckets by model: timestamp, model, one member per requested figure, count. With "
                "group_by: group and group_kind instead of model.")
      .required("call_buckets", &CallStatsReply::call_buckets, buckets,
                "Buckets: timestamp, one member per requested figure, count. With group_by also "
                "group and group_kind.")
      .optional("groups", &CallStatsReply::groups, schema::ifPresent(list(callGroupCodec())),
                "With group_by: the groups, most calls first, then missing and other values.")
      .optional(
          "sampled", &CallStatsReply::sampled, schema::ifPresent(schema::boolean()),
          "True if there are more than 2 million calls and the percentiles of calls are those "
          "of a sample of about 1 million. Buckets with few calls and all other figures are "
          "exact.")
      .codec();
}

Result<json::Text> bucketsOf(std::vector<BucketRow> rows,
                             const Buckets& buckets,
                             const std::vector<Figure>& figures,
                             Series series,
                             const std::vector<CallGroup>& groups) {
  if (figures.empty()) return json::Text{"[]"};
  const std::vector<BucketRow> all =
      TRY(withEmptyBuckets(std::move(rows), buckets, figures, series, groups.size()));
  return json::Text{bucketsJson(all, buckets, figures, series, groups)};
}

Result<CallStatsReply> callStats(const TracingServices& services,
                                 const Context& context,
                                 CallStatsBody body) {
  const ProjectScope project = TRY(readableProject(services, context, body.project_id));
  const statistics::TimeZone zone = TRY(statistics::loadTimeZone(body.timezone));
  const std::unique_ptr<objects::RefProjects> projects =
      services.ref_projects(context.caller().user_id);
  CallQuery selection = TRY(
      callQueryOf(std::move(body.filter), std::move(body.query), std::nullopt, project, *projects));

  CallStatsQuery query;
  query.selection = std::move(selection);
  if (body.group_by) query.group_by = wire::neutralField(*body.group_by);
  const Timestamp end = std::max(body.start, body.end.value_or(services.clock.now()));
  query.buckets = statistics::cutIntoBuckets(body.start, end, body.granularity, zone);
  query.usage_figures = figuresOf(body.usage_metrics.value_or(std::vector<MetricRequest>()));
  query.call_figures = figuresOf(body.call_metrics.value_or(std::vector<MetricRequest>()));
  const std::shared_ptr<const pricing::ProjectPrices> prices = TRY(services.prices(project.id));
  query.prices = prices.get();

  Result<CallStats> stats = CallStats{};
  {
    std::unique_ptr<CallView> view = TRY(services.calls.view(project));
    stats = view->stats(query);
  }
  if (!stats) return std::move(stats).error();
  CallStatsReply reply{body.start, end, query.buckets.granularity.count(),
                       std::move(body.timezone)};
  const DimensionReader reader{*projects, context.spelling()};
  for (CallGroup& group : stats->groups) {
    std::string value = TRY(reader.external(*query.group_by, group.value));
    group.value = std::move(value);
  }
  json::Text usage =
      TRY(bucketsOf(std::move(stats->usage), query.buckets, query.usage_figures,
                    query.group_by ? Series::kGroups : Series::kModels, stats->groups));
  reply.usage_buckets = std::move(usage);
  json::Text calls =
      TRY(bucketsOf(std::move(stats->calls), query.buckets, query.call_figures,
                    query.group_by ? Series::kGroups : Series::kNone, stats->groups));
  reply.call_buckets = std::move(calls);
  if (query.group_by) reply.groups = std::move(stats->groups);
  if (stats->sampled) reply.sampled = true;
  return reply;
}

}  // namespace

void addCallStatsRoutes(const TracingRoutes& routes) {
  routes.post(
      "/calls/stats",
      {"callStats", "Aggregate calls, usage and costs over time.", "Costs use the current prices."},
      {.body = callStatsCodec(routes.services().clock), .reply = callStatsReplyCodec()}, callStats);
}

}  // namespace spindle::tracing
