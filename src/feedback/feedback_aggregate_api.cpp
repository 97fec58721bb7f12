#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "feedback/feedback_routes.h"
#include "feedback/feedback_type.h"
#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "wire/spelling.h"

namespace spindle::feedback {
namespace {

using http::Context;
using schema::Codec, schema::MapOf, schema::nullable, schema::Record, schema::RuleError,
    schema::string;

constexpr std::int64_t kMaxAggregateBuckets = 256;
constexpr std::int64_t kMaxTimeRangeMillis =
    std::chrono::milliseconds(statistics::kMaxRange).count();

/// The members of the query, and those that a client sends in another form.
struct AggregateBody : FeedbackAggregateQuery {
  std::string project_id;
  std::int64_t after_ms = 0;
  std::int64_t before_ms = 0;
  std::vector<std::string> group_names;
};

struct BucketView {
  std::optional<std::int64_t> time_bucket_start_ms;
  MapOf<std::string> group;
  std::int64_t total_count = 0;
  std::int64_t scored_count = 0;
  MapOf<std::int64_t> tag_counts;
  MapOf<std::int64_t> rating_counts;
  MapOf<double> rating_sums;
};

struct AggregateReply {
  std::optional<std::int64_t> time_bucket_seconds;
  std::int64_t after_ms = 0;
  std::int64_t before_ms = 0;
  std::vector<BucketView> buckets;
};

std::optional<RuleError> checkAggregate(const AggregateBody& body) {
  const std::int64_t span = body.before_ms - body.after_ms;
  if (span < 0) return schema::valueError("before_ms must not be before after_ms");
  if (span > kMaxTimeRangeMillis) return schema::valueError("date range cannot exceed 31 days");
  if (!body.bucket_seconds) return std::nullopt;
  const std::int64_t length = *body.bucket_seconds;
  // Divide first, because a bucket may be as long as the largest integer.
  if (span / 1000 / length > kMaxAggregateBuckets - 1)
    return schema::valueError("date range cannot have more than 256 time buckets");
  return std::nullopt;
}

Codec<AggregateBody> aggregateCodec() {
  const auto texts = schema::list(string());
  const auto rating = nullable(schema::number({.ge = 0.0, .le = 1.0}));
  return identity::projectRecord<AggregateBody>("FeedbackAggregate")
      .required("after_ms", &AggregateBody::after_ms, schema::integer({.ge = 0}),
                "Start of the time range (inclusive), in milliseconds since 1970.")
      .required("before_ms", &AggregateBody::before_ms, schema::integer({.ge = 0}),
                "End of the time range (exclusive), in milliseconds since 1970.")
      .optional("time_bucket_seconds", &AggregateBody::bucket_seconds,
                nullable(schema::integer({.gt = 0, .le = kMaxTimeRangeMillis / 1000})),
                "Length of the buckets. Default: one bucket for the whole time range.")
      .optional("feedback_types", &AggregateBody::type_prefixes, texts,
                "Prefixes of feedback types.")
      .optional("tags", &AggregateBody::tags, texts, "Feedback with any of these tags.")
      .optional("rating_min", &AggregateBody::rating_min, rating,
                "Minimum of the rating `_rating_`.")
      .optional("rating_max", &AggregateBody::rating_max, rating,
                "Maximum of the rating `_rating_`.")
      .optional("monitor_ids", &AggregateBody::monitor_ids, texts,
                "Names or refs of monitors. A trailing `*` matches any suffix.")
      .optional("scorer_ids", &AggregateBody::scorer_ids, texts,
                "Names or refs of scorers. A trailing `*` matches any suffix.")
      .optional("span_agent_names", &AggregateBody::agent_names, texts)
      .optional("span_types", &AggregateBody::target_kinds,
                schema::list(schema::literal({"agent_turn", "agent_conversation"})))
      .optional("group_by", &AggregateBody::group_names,
                schema::list(schema::literal(
                    {"scorer_id", "span_agent_name", "span_agent_version", "span_status_code"})))
      .check(checkAggregate)
      .codec();
}

Codec<AggregateReply> aggregateReplyCodec() {
  const auto counts = schema::map(schema::integer());
  const Codec<BucketView> bucket =
      Record<BucketView>("FeedbackAggregateBucket")
          .required("time_bucket_start_ms", &BucketView::time_bucket_start_ms,
                    nullable(schema::integer()))
          .required("group", &BucketView::group, schema::map(string()))
          .required("total_count", &BucketView::total_count, schema::integer())
          .required("scored_count", &BucketView::scored_count, schema::integer(),
                    "Feedback with a tag or a rating.")
          .required("tag_counts", &BucketView::tag_counts, counts)
          .required("rating_counts", &BucketView::rating_counts, counts)
          .required("rating_sums", &BucketView::rating_sums, schema::map(schema::number()))
          .codec();
  return Record<AggregateReply>("FeedbackAggregates")
      .required("time_bucket_seconds", &AggregateReply::time_bucket_seconds,
                nullable(schema::integer()))
      .required("after_ms", &AggregateReply::after_ms, schema::integer())
      .required("before_ms", &AggregateReply::before_ms, schema::integer())
      .required("buckets", &AggregateReply::buckets, schema::list(bucket),
                "Buckets that contain feedback.")
      .codec();
}

template <class T>
MapOf<T> listed(const std::map<std::string, T>& map) {
  return {map.begin(), map.end()};
}

BucketView viewOf(const AggregateBucket& bucket) {
  BucketView view;
  view.time_bucket_start_ms = bucket.start_ms;
  view.group = listed(bucket.group);
  view.total_count = bucket.total_count;
  view.scored_count = bucket.scored_count;
  view.tag_counts = listed(bucket.tag_counts);
  view.rating_counts = listed(bucket.rating_counts);
  view.rating_sums = listed(bucket.rating_sums);
  return view;
}

Result<std::vector<std::string>> storedRefs(std::vector<std::string> ids,
                                            objects::RefProjects& projects) {
  for (std::string& id : ids) {
    if (wire::splitRef(id).scheme == wire::RefScheme::kNone) continue;
    std::string ref = TRY(storedRef(id, projects));
    id = std::move(ref);
  }
  return ids;
}

std::vector<GroupKey> groupKeysOf(const std::vector<std::string>& names) {
  std::vector<GroupKey> keys;
  for (const GroupKey key : {GroupKey::kScorerId, GroupKey::kAgentName, GroupKey::kAgentVersion,
                             GroupKey::kStatusCode}) {
    if (std::find(names.begin(), names.end(), textOf(key)) != names.end()) keys.push_back(key);
  }
  return keys;
}

Result<AggregateReply> aggregateFeedback(const FeedbackServices& services,
                                         const Context& context,
                                         AggregateBody body) {
  const identity::ProjectAccess project =
      TRY(services.access.readProject(context.caller().user_id, body.project_id));
  const std::unique_ptr<objects::RefProjects> projects =
      services.ref_projects(context.caller().user_id);
  std::vector<std::string> monitors = TRY(storedRefs(std::move(body.monitor_ids), *projects));
  std::vector<std::string> scorers = TRY(storedRefs(std::move(body.scorer_ids), *projects));

  // Later than any feedback, and still a valid timestamp.
  constexpr std::int64_t kLatest = 253'402'300'799'000;
  FeedbackAggregateQuery query = std::move(static_cast<FeedbackAggregateQuery&>(body));
  query.after = timestampOfMicros(std::min(body.after_ms, kLatest) * 1000);
  query.before = timestampOfMicros(std::min(body.before_ms, kLatest) * 1000);
  for (std::string& type : query.type_prefixes) type = neutralTypePrefix(type);
  query.monitor_ids = std::move(monitors);
  query.scorer_ids = std::move(scorers);
  query.group_by = groupKeysOf(body.group_names);
  const std::vector<AggregateBucket> buckets =
      TRY(services.store.aggregate(project.project_id, query));
  AggregateReply reply{query.bucket_seconds, body.after_ms, body.before_ms, {}};
  for (const AggregateBucket& bucket : buckets) reply.buckets.push_back(viewOf(bucket));
  return reply;
}

}  // namespace

void addFeedbackAggregateRoutes(const FeedbackRoutes& routes) {
  routes.post("/feedback/aggregate", {"aggregateFeedback", "Count tags and ratings over time"},
              {.body = aggregateCodec(), .reply = aggregateReplyCodec()}, aggregateFeedback);
}

}  // namespace spindle::feedback
