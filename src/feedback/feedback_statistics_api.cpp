#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "feedback/feedback_routes.h"
#include "feedback/feedback_type.h"
#include "feedback/payload_schema.h"
#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "json/writer.h"
#include "query/field.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "statistics/request_codec.h"
#include "wire/spelling.h"

namespace spindle::feedback {
namespace {

using http::Context;
using schema::Codec, schema::nullable, schema::Record, schema::RuleError, schema::string;

/// Members shared by the statistics and the payload schema request.
struct PayloadFilterBody {
  std::string project_id;
  Timestamp start;
  std::optional<Timestamp> end;
  std::optional<std::string> feedback_type;
  std::optional<std::string> trigger_ref;
};

struct MetricBody {
  std::string json_path;
  ValueType value_type = ValueType::kNumeric;
  std::vector<Aggregation> aggregations;
  std::vector<double> percentiles;
};

struct StatsBody : PayloadFilterBody {
  std::optional<std::int64_t> granularity;
  std::string timezone = "UTC";
  std::vector<MetricBody> metrics;
};

struct StatsReply {
  Timestamp start;
  Timestamp end;
  std::int64_t granularity = 0;
  std::string timezone;
  std::vector<json::Text> buckets;
  std::optional<json::Text> window_stats;
};

struct SchemaBody : PayloadFilterBody {
  std::int64_t sample_limit = 2000;
};

struct SchemaReply {
  std::vector<PayloadPath> paths;
};

Codec<ValueType> valueTypeCodec() {
  return schema::enumeration<ValueType>({{"numeric", ValueType::kNumeric},
                                         {"boolean", ValueType::kBoolean},
                                         {"categorical", ValueType::kCategorical}});
}

std::optional<RuleError> checkTimeRange(Timestamp start, Timestamp end) {
  return statistics::checkTimeRange("FeedbackStatsReq", start, end);
}

template <class Body>
Record<Body> payloadFilterRecord(const std::string& name) {
  Record<Body> record = identity::projectRecord<Body>(name);
  record.required("start", &Body::start, schema::dateTime(), "Start of the time range (inclusive).")
      .optional("end", &Body::end, nullable(schema::dateTime()),
                "End of the time range (exclusive). Default: now.")
      .optional("feedback_type", &Body::feedback_type, nullable(string()))
      .optional("trigger_ref", &Body::trigger_ref, nullable(string()))
      .check([](const Body& body) {
        return body.end ? checkTimeRange(body.start, *body.end) : std::optional<RuleError>();
      });
  return record;
}

Codec<StatsBody> statsCodec() {
  const Codec<MetricBody> metric =
      Record<MetricBody>("FeedbackMetric")
          .required("json_path", &MetricBody::json_path, string(), "Path inside the payload.")
          .optional("value_type", &MetricBody::value_type, valueTypeCodec())
          .optional("aggregations", &MetricBody::aggregations,
                    schema::list(statistics::aggregationCodec()),
                    "Default: the standard aggregations of the value type.")
          .optional("percentiles", &MetricBody::percentiles,
                    schema::list(schema::number({.ge = 0.0, .le = 100.0})))
          .codec();
  return payloadFilterRecord<StatsBody>("FeedbackStats")
      .optional("granularity", &StatsBody::granularity, nullable(schema::integer({.gt = 0})),
                "Length of a bucket in seconds. Default: depends on the time range.")
      .optional("timezone", &StatsBody::timezone, string(), "Time zone that aligns the buckets.")
      .optional("metrics", &StatsBody::metrics, schema::list(metric))
      .codec();
}

Codec<StatsReply> statsReplyCodec() {
  return Record<StatsReply>("FeedbackStatistics")
      .required("start", &StatsReply::start, schema::dateTime())
      .required("end", &StatsReply::end, schema::dateTime())
      .required("granularity", &StatsReply::granularity, schema::integer(), "Seconds.")
      .required("timezone", &StatsReply::timezone, string())
      .required("buckets", &StatsReply::buckets, schema::list(schema::jsonObject()),
                "`timestamp`, `count`, and `<aggregation>_<path>` for each metric.")
      .required("window_stats", &StatsReply::window_stats, nullable(schema::jsonObject()),
                "Values of each path over the whole time range.")
      .codec();
}

Codec<SchemaBody> schemaCodec() {
  return payloadFilterRecord<SchemaBody>("FeedbackPayloadSchema")
      .optional("sample_limit", &SchemaBody::sample_limit, schema::integer({.ge = 1, .le = 5000}),
                "Maximum number of payloads to inspect, newest first.")
      .codec();
}

Codec<SchemaReply> schemaReplyCodec() {
  const Codec<PayloadPath> path =
      Record<PayloadPath>("FeedbackPayloadPath")
          .required("json_path", &PayloadPath::json_path, string())
          .required("value_type", &PayloadPath::value_type, valueTypeCodec())
          .codec();
  return Record<SchemaReply>("FeedbackPayloadPaths")
      .required("paths", &SchemaReply::paths, schema::list(path), "Sorted.")
      .codec();
}

/// Returns a 422 for a rule over the whole body that depends on the current time.
Error invalidBody(RuleError complaint) {
  Violation violation;
  violation.type = std::move(complaint.type);
  violation.loc = {std::string("body")};
  violation.msg = std::move(complaint.msg);
  violation.ctx = std::move(complaint.ctx);
  return Error::invalid({std::move(violation)});
}

/// The project of a request, and the filter on its feedback.
struct PayloadScope {
  std::string project_id;
  PayloadFilter filter;
};

Result<PayloadScope> payloadScopeOf(const FeedbackServices& services,
                                    const Context& context,
                                    const PayloadFilterBody& body) {
  const std::string& caller = context.caller().user_id;
  const identity::ProjectAccess project = TRY(services.access.readProject(caller, body.project_id));
  PayloadFilter filter;
  filter.start = body.start;
  filter.end = body.end.value_or(services.clock.now());
  if (std::optional<RuleError> complaint = checkTimeRange(filter.start, filter.end))
    return invalidBody(*std::move(complaint));
  if (body.feedback_type) filter.feedback_type = wire::neutralFeedbackType(*body.feedback_type);
  if (body.trigger_ref) {
    const std::unique_ptr<objects::RefProjects> projects = services.ref_projects(caller);
    std::string ref = TRY(storedRef(*body.trigger_ref, *projects));
    filter.trigger_ref = std::move(ref);
  }
  return PayloadScope{project.project_id, std::move(filter)};
}

std::vector<Aggregation> defaultAggregations(ValueType type) {
  switch (type) {
    case ValueType::kNumeric:
      return {Aggregation::kAvg};
    case ValueType::kBoolean:
      return {Aggregation::kCountTrue, Aggregation::kCountFalse};
    case ValueType::kCategorical:
      return {Aggregation::kCount};
  }
  return {};
}

Result<PayloadMetric> metricOf(const MetricBody& body) {
  std::vector<std::string> path = TRY(query::splitPath(body.json_path));
  PayloadMetric metric;
  metric.path = std::move(path);
  for (const std::string& part : metric.path) {
    metric.key += (&part == metric.path.data() ? "" : "_") + part;
  }
  std::replace(metric.key.begin(), metric.key.end(), '.', '_');
  metric.value_type = body.value_type;
  metric.aggregations = body.aggregations;
  metric.percentiles = body.percentiles;
  if (metric.aggregations.empty() && metric.percentiles.empty())
    metric.aggregations = defaultAggregations(metric.value_type);
  return metric;
}

void writeValue(const StatisticValue& value, json::Writer& out) {
  if (!value.value) {
    out.null();
  } else if (value.whole) {
    out.integer(static_cast<std::int64_t>(*value.value));
  } else {
    out.number(*value.value);
  }
}

json::Text bucketText(const StatisticsBucket& bucket) {
  json::Text text{""};
  json::Writer out(text.json);
  out.beginObject().key("timestamp").string(formatTimestamp(bucket.start));
  out.key("count").integer(bucket.count);
  for (const StatisticValue& value : bucket.values) {
    out.key(value.name + "_" + value.metric);
    writeValue(value, out);
  }
  out.endObject();
  return text;
}

json::Text windowText(const std::vector<StatisticValue>& values) {
  json::Text text{""};
  json::Writer out(text.json);
  out.beginObject();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool first = i == 0 || values[i].metric != values[i - 1].metric;
    if (first) out.key(values[i].metric).beginObject();
    out.key(values[i].name);
    writeValue(values[i], out);
    const bool last = i + 1 == values.size() || values[i].metric != values[i + 1].metric;
    if (last) out.endObject();
  }
  out.endObject();
  return text;
}

Result<StatsReply> feedbackStatistics(const FeedbackServices& services,
                                      const Context& context,
                                      const StatsBody& body) {
  PayloadScope scope = TRY(payloadScopeOf(services, context, body));
  FeedbackStatisticsQuery query;
  query.filter = std::move(scope.filter);
  const Timestamp start = query.filter.start;
  const Timestamp end = query.filter.end;
  const statistics::TimeZone zone = TRY(statistics::loadTimeZone(body.timezone));
  query.buckets = statistics::cutIntoBuckets(start, end, body.granularity, zone);
  for (const MetricBody& metric : body.metrics) {
    PayloadMetric made = TRY(metricOf(metric));
    query.metrics.push_back(std::move(made));
  }
  const Statistics found = TRY(services.store.statistics(scope.project_id, query));
  StatsReply reply{start, end, query.buckets.granularity.count(), body.timezone, {}, std::nullopt};
  for (const StatisticsBucket& bucket : found.buckets) {
    reply.buckets.push_back(bucketText(bucket));
  }
  if (!body.metrics.empty()) reply.window_stats = windowText(found.window);
  return reply;
}

Result<SchemaReply> payloadSchema(const FeedbackServices& services,
                                  const Context& context,
                                  const SchemaBody& body) {
  const PayloadScope scope = TRY(payloadScopeOf(services, context, body));
  const std::vector<std::string> payloads =
      TRY(services.store.payloads(scope.project_id, scope.filter, body.sample_limit));
  return SchemaReply{payloadPathsOf(payloads)};
}

}  // namespace

void addFeedbackStatisticsRoutes(const FeedbackRoutes& routes) {
  routes.post("/feedback/stats", {"feedbackStatistics", "Aggregate payload values over time"},
              {.body = statsCodec(), .reply = statsReplyCodec()}, feedbackStatistics);
  routes.post("/feedback/payload_schema",
              {"feedbackPayloadSchema", "List the paths and value types of payloads"},
              {.body = schemaCodec(), .reply = schemaReplyCodec()}, payloadSchema);
}

}  // namespace spindle::feedback
