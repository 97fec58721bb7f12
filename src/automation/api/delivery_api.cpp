#include "automation/api/automation_api.h"
#include "automation/api/delivery_view.h"
#include "automation/api/webhook_path.h"
#include "http/router/paging.h"
#include "http/router/router.h"
#include "identity/access/access.h"
#include "identity/api/user_view.h"

namespace spindle::automation {
namespace {

using http::Context;
using http::Endpoint;
using http::Method;
using http::Nothing;
using http::Reply;
using schema::Extra;
using schema::ifPresent;
using schema::string;

constexpr std::string_view kDeliveriesTag = "deliveries";

struct DeliveryPath {
  std::string id;
};
struct DeliveriesQuery : http::PageQuery {
  std::string team;  ///< team of the webhook
  std::string id;    ///< id of an automation or webhook
  std::optional<std::string> automation_id;
  std::optional<std::string> webhook_id;
  std::optional<DeliveryStatus> status;
  std::optional<Timestamp> since;
  std::optional<Timestamp> until;
};
enum class ReplayMode { kSame, kCurrent };
struct ReplayBody {
  ReplayMode mode = ReplayMode::kSame;
};
struct RecoverBody {
  Timestamp since;
  std::optional<Timestamp> until;
};
struct RecoverReply {
  std::int64_t requeued = 0;
};

using PageOfDeliveries = http::PageReply<DeliveryView>;

schema::Codec<DeliveryStatus> deliveryStatusCodec() {
  std::vector<std::pair<std::string, DeliveryStatus>> words;
  for (const DeliveryStatus status :
       {DeliveryStatus::kPending, DeliveryStatus::kInFlight, DeliveryStatus::kRetrying,
        DeliveryStatus::kSucceeded, DeliveryStatus::kFailed, DeliveryStatus::kCancelled,
        DeliveryStatus::kSkipped}) {
    words.emplace_back(textOf(status), status);
  }
  return schema::enumeration<DeliveryStatus>(words);
}

DeliveryFilter filterOf(const DeliveriesQuery& query) {
  DeliveryFilter filter;
  filter.automation_id = query.automation_id;
  filter.webhook_id = query.webhook_id;
  filter.status = query.status;
  filter.since = query.since;
  filter.until = query.until;
  return filter;
}

using Listing = std::function<Result<identity::Page<Delivery>>(
    const std::string& user_id, const DeliveriesQuery&, const identity::PageRequest&)>;

void addList(http::Router& router,
             const http::RoutePolicy& policy,
             std::string_view path,
             std::string_view operation_id,
             std::string_view summary,
             const http::Parameters<DeliveriesQuery>& params,
             Listing list) {
  router.add(Endpoint<DeliveriesQuery, Nothing, PageOfDeliveries>{
      .method = Method::kGet,
      .path = path,
      .operation_id = operation_id,
      .summary = summary,
      .description = "Returns deliveries, newest first, without their requests and attempts.",
      .tag = kDeliveriesTag,
      .policy = policy,
      .params = params,
      .reply = http::pageCodec("DeliveryPage", deliveryCodec()),
      .handler = [list = std::move(list)](const Context& context, const DeliveriesQuery& query,
                                          Nothing) -> Result<Reply<PageOfDeliveries>> {
        const identity::PageRequest request = TRY(numberedPageOf(query));
        const identity::Page<Delivery> page = TRY(list(context.caller().user_id, query, request));
        return Reply(identity::pageReply<DeliveryView>(
            page, [](const Delivery& delivery) { return DeliveryView(delivery); }));
      },
  });
}

http::Parameters<DeliveriesQuery> listParameters() {
  using Q = DeliveriesQuery;
  return http::pageParameters<Q>()
      .query("status", &Q::status, ifPresent(deliveryStatusCodec()),
             "Only deliveries in this state.")
      .query("since", &Q::since, ifPresent(schema::dateTime()),
             "Only deliveries created at this time or later.")
      .query("until", &Q::until, ifPresent(schema::dateTime()),
             "Only deliveries created before this time.");
}

void addLists(http::Router& router,
              const AutomationServices& services,
              const http::RoutePolicy& policy) {
  using Q = DeliveriesQuery;
  addList(router, policy, "/api/v1/deliveries", "listDeliveries", "List deliveries",
          listParameters()
              .query("automation_id", &Q::automation_id, ifPresent(string()),
                     "Only deliveries of this automation.")
              .query("webhook_id", &Q::webhook_id, ifPresent(string()),
                     "Only deliveries to this webhook."),
          [services](const std::string& user_id, const Q& query, const auto& page) {
            return services.deliveries.list(user_id, filterOf(query), page);
          });
  addList(router, policy, "/api/v1/automations/{id}/deliveries", "listAutomationDeliveries",
          "List the deliveries of an automation",
          listParameters().path("id", &Q::id, string(), "Id of the automation."),
          [services](const std::string& user_id, const Q& query, const auto& page) {
            return services.deliveries.listOfAutomation(user_id, query.id, filterOf(query), page);
          });
  addList(router, policy, "/api/v1/teams/{team}/webhooks/{id}/deliveries", "listWebhookDeliveries",
          "List the deliveries to a webhook",
          listParameters()
              .path("team", &Q::team, string(), "Name of the team.")
              .path("id", &Q::id, string(), "Id of the webhook."),
          [services](const std::string& user_id, const Q& query, const auto& page) {
            return services.deliveries.listOfWebhook(user_id, query.team, query.id, filterOf(query),
                                                     page);
          });
}

Result<Reply<DeliveryView>> replyOf(const Result<DeliveryRecord>& record) {
  if (!record) return record.error();
  return Reply(DeliveryView(*record));
}

void addSingle(http::Router& router,
               const AutomationServices& services,
               const http::RoutePolicy& policy) {
  http::Parameters<DeliveryPath> path;
  path.path("id", &DeliveryPath::id, string(), "Id of the delivery.");
  router.add(Endpoint<DeliveryPath, Nothing, DeliveryView>{
      .method = Method::kGet,
      .path = "/api/v1/deliveries/{id}",
      .operation_id = "getDelivery",
      .summary = "Show a delivery with its attempts",
      .tag = kDeliveriesTag,
      .policy = policy,
      .params = path,
      .reply = deliveryCodec(),
      .handler =
          [services](const Context& context, const DeliveryPath& about, Nothing) {
            return replyOf(services.deliveries.find(context.caller().user_id, about.id));
          },
  });
  router.add(Endpoint<DeliveryPath, ReplayBody, DeliveryView>{
      .method = Method::kPost,
      .path = "/api/v1/deliveries/{id}/replay",
      .operation_id = "replayDelivery",
      .summary = "Send a delivery again",
      .description =
          "`same` sends the delivery with its stored template, under the same id. `current` uses "
          "the current automation and webhook, and a new id. For admins of the scope.",
      .tag = kDeliveriesTag,
      .success_status = 202,
      .policy = policy,
      .params = path,
      .body = schema::Record<ReplayBody>("DeliveryReplay", Extra::kForbid)
                  .optional("mode", &ReplayBody::mode,
                            schema::enumeration<ReplayMode>(
                                {{"same", ReplayMode::kSame}, {"current", ReplayMode::kCurrent}}),
                            "")
                  .codec(),
      .reply = deliveryCodec(),
      .handler =
          [services](const Context& context, const DeliveryPath& about, const ReplayBody& body) {
            return replyOf(services.deliveries.replay(context.caller().user_id, about.id,
                                                      body.mode == ReplayMode::kCurrent));
          },
  });
  router.add(Endpoint<DeliveryPath, Nothing, DeliveryView>{
      .method = Method::kPost,
      .path = "/api/v1/deliveries/{id}/cancel",
      .operation_id = "cancelDelivery",
      .summary = "Cancel a delivery",
      .description = "The delivery gets no further attempt. For admins of the scope.",
      .tag = kDeliveriesTag,
      .policy = policy,
      .params = path,
      .reply = deliveryCodec(),
      .handler =
          [services](const Context& context, const DeliveryPath& about, Nothing) {
            return replyOf(services.deliveries.cancel(context.caller().user_id, about.id));
          },
  });
}

void addRecovery(http::Router& router,
                 const AutomationServices& services,
                 const http::RoutePolicy& policy) {
  router.add(Endpoint<WebhookPath, RecoverBody, RecoverReply>{
      .method = Method::kPost,
      .path = "/api/v1/teams/{team}/webhooks/{id}/recover",
      .operation_id = "recoverWebhook",
      .summary = "Send the failed deliveries of a period again",
      .description = "Oldest first; skipped deliveries and those cancelled because the webhook was "
                     "disabled count as failed. For team admins.",
      .tag = kDeliveriesTag,
      .success_status = 202,
      .policy = policy,
      .params = webhookPath(),
      .body = schema::Record<RecoverBody>("WebhookRecovery", Extra::kForbid)
                  .required("since", &RecoverBody::since, schema::dateTime(), "")
                  .optional("until", &RecoverBody::until, schema::nullable(schema::dateTime()),
                            "Default: now.")
                  .codec(),
      .reply = schema::Record<RecoverReply>("WebhookRecovered")
                   .required("requeued", &RecoverReply::requeued, schema::integer(),
                             "Number of deliveries.")
                   .codec(),
      .handler = [services](const Context& context, const WebhookPath& about,
                            const RecoverBody& body) -> Result<Reply<RecoverReply>> {
        const std::int64_t requeued = TRY(services.deliveries.recover(
            context.caller().user_id, about.team, about.id, body.since, body.until));
        return Reply(RecoverReply{requeued});
      },
  });
}

}  // namespace

void addDeliveryRoutes(http::Router& router,
                       const AutomationServices& services,
                       const http::RoutePolicy& policy) {
  addLists(router, services, policy);
  addSingle(router, services, policy);
  addRecovery(router, services, policy);
}

}  // namespace spindle::automation
