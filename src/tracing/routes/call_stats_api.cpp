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
#include "tracing/routes/call_query_api.h"
#include "tracing/routes/tracing_api.h"
#include "tracing/stats/call_stats.h"
#include "tracing/stats/call_stats_json.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {
namespace {

using http::Context;
using schema::Codec, schema::list, schema::nullable, schema::Record, schema::string;

struct CallStatsBody {
  std::string project_id;
  Timestamp start;
  std::optional<Timestamp> end;
  std::optional<std::int64_t> granularity;
  std::optional<std::vector<MetricRequest>> usage_metrics;
  std::optional<std::vector<MetricRequest>> call_metrics;
  std::optional<CallFilter> filter;
  std::string timezone = "UTC";
};

struct CallStatsReply {
  Timestamp start;
  Timestamp end;
  std::int64_t granularity = 0;
  std::string timezone;
  json::Text usage_buckets{"[]"};
  json::Text call_buckets{"[]"};
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
  return identity::projectRecord<CallStatsBody>("CallsStatsRequest")
      .required("start", &CallStatsBody::start, schema::dateTime(), "Inclusive.")
      .optional("end", &CallStatsBody::end, nullable(schema::dateTime()),
                "Exclusive. Default: now.")
      .optional("granularity", &CallStatsBody::granularity, nullable(schema::integer()),
                "Seconds. Default: chosen for the range. Increased so that there are at most "
                "10,000 buckets.")
      .optional("usage_metrics", &CallStatsBody::usage_metrics, nullable(list(usage)), "By model.")
      .optional("call_metrics", &CallStatsBody::call_metrics, nullable(list(calls)))
      .optional("filter", &CallStatsBody::filter, nullable(callFilterCodec()),
                "By op_names, trace_roots_only, trace_ids, call_ids, parent_ids, svc_user_ids and "
                "svc_run_ids; other members are ignored.")
      .optional("timezone", &CallStatsBody::timezone, string(),
                "Time zone whose midnight aligns buckets of hours and days, such as Europe/Berlin.")
      .check([&clock](const CallStatsBody& body) {
        return statistics::checkTimeRange("CallStatsReq", body.start,
                                          body.end.value_or(clock.now()));
      })
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
                "Buckets by model: timestamp, model, one member per requested figure, count.")
      .required("call_buckets", &CallStatsReply::call_buckets, buckets,
                "Buckets: timestamp, one member per requested figure, count.")
      .codec();
}

/// Removes the members of a filter that statistics ignore.
CallFilter supported(CallFilter filter) {
  filter.input_refs.reset();
  filter.output_refs.reset();
  filter.thread_ids.reset();
  filter.turn_ids.reset();
  return filter;
}

Result<json::Text> bucketsOf(std::vector<BucketRow> rows,
                             const Buckets& buckets,
                             const std::vector<Figure>& figures,
                             bool by_model) {
  if (figures.empty()) return json::Text{"[]"};
  const std::vector<BucketRow> all =
      TRY(withEmptyBuckets(std::move(rows), buckets, figures, by_model));
  return json::Text{bucketsJson(all, buckets, figures, by_model)};
}

Result<CallStatsReply> callStats(const TracingServices& services,
                                 const Context& context,
                                 CallStatsBody body) {
  const ProjectScope project = TRY(readableProject(services, context, body.project_id));
  const statistics::TimeZone zone = TRY(statistics::loadTimeZone(body.timezone));
  const std::unique_ptr<objects::RefProjects> projects =
      services.ref_projects(context.caller().user_id);
  CallQuery selection = TRY(callQueryOf(supported(body.filter.value_or(CallFilter())), std::nullopt,
                                        std::nullopt, project, *projects));

  CallStatsQuery query;
  query.filter = std::move(selection.filter);
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
  json::Text usage =
      TRY(bucketsOf(std::move(stats->usage), query.buckets, query.usage_figures, true));
  reply.usage_buckets = std::move(usage);
  json::Text calls =
      TRY(bucketsOf(std::move(stats->calls), query.buckets, query.call_figures, false));
  reply.call_buckets = std::move(calls);
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
