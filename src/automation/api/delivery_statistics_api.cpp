#include "automation/api/automation_api.h"
#include "automation/api/delivery_service.h"
#include "automation/api/delivery_view.h"
#include "http/router/route_group.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::automation {
namespace {

using http::Context;
using schema::dateTime, schema::integer, schema::nullable, schema::string;

struct StatisticsQuery {
  std::string team;
  std::optional<Timestamp> since;
};

/// The numbers of deliveries, one member per state.
struct CountsView {
  std::int64_t pending = 0;
  std::int64_t in_flight = 0;
  std::int64_t retrying = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
  std::int64_t skipped = 0;
};

struct StatisticsView : WebhookStatistics {
  StatisticsView() = default;
  explicit StatisticsView(WebhookStatistics statistics)
      : WebhookStatistics(std::move(statistics)),
        states{count(DeliveryStatus::kPending),  count(DeliveryStatus::kInFlight),
               count(DeliveryStatus::kRetrying), count(DeliveryStatus::kSucceeded),
               count(DeliveryStatus::kFailed),   count(DeliveryStatus::kCancelled),
               count(DeliveryStatus::kSkipped)},
        success_rate(successRate()) {}

  CountsView states;
  std::optional<double> success_rate;
};

struct StatisticsReply {
  Timestamp since;
  std::vector<StatisticsView> items;
};

schema::Codec<CountsView> countsCodec() {
  return schema::Record<CountsView>("DeliveryCounts")
      .required("pending", &CountsView::pending, integer())
      .required("in_flight", &CountsView::in_flight, integer())
      .required("retrying", &CountsView::retrying, integer())
      .required("succeeded", &CountsView::succeeded, integer())
      .required("failed", &CountsView::failed, integer())
      .required("cancelled", &CountsView::cancelled, integer())
      .required("skipped", &CountsView::skipped, integer())
      .codec();
}

schema::Codec<FailedAttempt> failureCodec() {
  return schema::Record<FailedAttempt>("FailedAttempt")
      .required("at", &FailedAttempt::at, dateTime())
      .required("delivery_id", &FailedAttempt::delivery_id, string(), "`dlv_…`")
      .required("response_status", &FailedAttempt::response_status, nullable(integer()),
                "Null without a response.")
      .required("error", &FailedAttempt::error, nullable(deliveryErrorCodec()),
                "Null with a response.")
      .codec();
}

schema::Codec<StatisticsView> statisticsCodec() {
  using V = StatisticsView;
  return schema::Record<V>("WebhookStatistics")
      .required("webhook_id", &V::webhook_id, string())
      .required("name", &V::name, string())
      .required("status", &V::status,
                schema::enumeration<WebhookStatus>(
                    {{"active", WebhookStatus::kActive}, {"disabled", WebhookStatus::kDisabled}}))
      .required("disabled_reason", &V::disabled_reason, nullable(string()),
                "`manual`, `failing`, `gone`; null for an active webhook.")
      .required("counts", &V::states, countsCodec(), "Deliveries by state.")
      .required("attempts", &V::attempts, integer(), "Requests to the endpoint.")
      .required(
          "success_rate", &V::success_rate, nullable(schema::number()),
          "Succeeded deliveries divided by succeeded and failed ones; null if there are none.")
      .required("latency_p50_ms", &V::latency_p50_ms, nullable(integer()),
                "Median duration of the attempts that got a response.")
      .required("latency_p95_ms", &V::latency_p95_ms, nullable(integer()))
      .required("last_success_at", &V::last_success_at, nullable(dateTime()),
                "The last attempt with a 2xx response.")
      .required("last_failure", &V::last_failure, nullable(failureCodec()),
                "The last other attempt.")
      .codec();
}

Result<StatisticsReply> statistics(const AutomationServices& services,
                                   const Context& context,
                                   const StatisticsQuery& query) {
  DeliveryService::Statistics found =
      TRY(services.deliveries.statistics(context.caller().user_id, query.team, query.since));
  StatisticsReply reply{found.since, {}};
  reply.items.reserve(found.webhooks.size());
  for (WebhookStatistics& webhook : found.webhooks) reply.items.emplace_back(std::move(webhook));
  return reply;
}

}  // namespace

void addDeliveryStatisticsRoutes(AutomationRoutes routes) {
  routes.setTag("deliveries");
  routes.get(
      "/api/v1/deliveries/stats",
      {"getDeliveryStatistics", "Show the health of the webhooks of a team",
       "Counts the deliveries that were created since a time. Callers who do not manage the "
       "webhooks of the team see only deliveries of automations that they may view. "
       "Deliveries are stored for 30 days."},
      {.params = http::Parameters<StatisticsQuery>()
                     .requiredQuery("team", &StatisticsQuery::team, string(),
                                    "Name of the team of the webhooks.")
                     .query("since", &StatisticsQuery::since, schema::ifPresent(dateTime()),
                            "Default: 24 hours ago."),
       .reply = schema::Record<StatisticsReply>("DeliveryStatistics")
                    .required("since", &StatisticsReply::since, dateTime())
                    .required("items", &StatisticsReply::items, schema::list(statisticsCodec()),
                              "All webhooks of the team, sorted by name.")
                    .codec(),
       .facts = {.statuses = {404}}},
      statistics);
}

}  // namespace spindle::automation
