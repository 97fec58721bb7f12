#include "automation/api/automation_api.h"
#include "automation/api/delivery_view.h"
#include "automation/api/paths.h"
#include "http/router/paging.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/api/user_view.h"

namespace spindle::automation {
namespace {

using http::Context;
using schema::Extra, schema::ifPresent, schema::string;

struct DeliveriesQuery : http::PageQuery, DeliveryFilter {
  std::string team;                     ///< team of the webhook
  std::string id;                       ///< id of an automation or webhook
  std::optional<std::string> any_team;  ///< team of the automation or of the webhook
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
  words.reserve(kDeliveryStatusNames.size());
  for (const std::string_view name : kDeliveryStatusNames) {
    words.emplace_back(name, *deliveryStatusOf(name));
  }
  return schema::enumeration<DeliveryStatus>(words);
}

using Listing = Result<identity::Page<Delivery>> (*)(const AutomationServices& services,
                                                     const std::string& user_id,
                                                     const DeliveriesQuery& query,
                                                     const identity::PageRequest& page);

void addList(const AutomationRoutes& routes,
             std::string_view path,
             std::string_view operation_id,
             std::string_view summary,
             const http::Parameters<DeliveriesQuery>& params,
             Listing list) {
  routes.get(path,
             {operation_id, summary,
              "Returns deliveries, newest first, without their requests and attempts."},
             {.params = params, .reply = http::pageCodec("DeliveryPage", deliveryCodec())},
             [list](const AutomationServices& services, const Context& context,
                    const DeliveriesQuery& query) -> Result<PageOfDeliveries> {
               const identity::PageRequest request = TRY(numberedPageOf(query));
               const identity::Page<Delivery> page =
                   TRY(list(services, context.caller().user_id, query, request));
               return identity::pageReply<DeliveryView>(
                   page, [](const Delivery& delivery) { return DeliveryView(delivery); });
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

void addLists(AutomationRoutes routes) {
  using Q = DeliveriesQuery;
  addList(routes, "/api/v1/deliveries", "listDeliveries", "List deliveries",
          listParameters()
              .query("team", &Q::any_team, ifPresent(string()),
                     "Only deliveries of the automations of this team and its projects, and "
                     "deliveries to its webhooks.")
              .query("automation_id", &Q::automation_id, ifPresent(string()),
                     "Only deliveries of this automation.")
              .query("webhook_id", &Q::webhook_id, ifPresent(string()),
                     "Only deliveries to this webhook."),
          [](const AutomationServices& services, const std::string& user_id, const Q& query,
             const identity::PageRequest& page) {
            return query.any_team
                       ? services.deliveries.listOfTeam(user_id, *query.any_team, query, page)
                       : services.deliveries.list(user_id, query, page);
          });
  addList(routes, "/api/v1/automations/{id}/deliveries", "listAutomationDeliveries",
          "List the deliveries of an automation",
          listParameters().path("id", &Q::id, string(), "Id of the automation."),
          [](const AutomationServices& services, const std::string& user_id, const Q& query,
             const identity::PageRequest& page) {
            return services.deliveries.listOfAutomation(user_id, query.id, query, page);
          });
  addList(routes, "/api/v1/teams/{team}/webhooks/{id}/deliveries", "listWebhookDeliveries",
          "List the deliveries to a webhook",
          inTeam(listParameters()).path("id", &Q::id, string(), "Id of the webhook."),
          [](const AutomationServices& services, const std::string& user_id, const Q& query,
             const identity::PageRequest& page) {
            return services.deliveries.listOfWebhook(user_id, query.team, query.id, query, page);
          });
}

Result<DeliveryView> replyOf(const Result<DeliveryRecord>& record) {
  if (!record) return record.error();
  return DeliveryView(*record);
}

void addSingle(AutomationRoutes routes) {
  const http::Parameters<IdPath> path = idPath("Id of the delivery.");
  routes.get("/api/v1/deliveries/{id}", {"getDelivery", "Show a delivery with its attempts"},
             {.params = path, .reply = deliveryCodec()},
             [](const AutomationServices& services, const Context& context, const IdPath& about) {
               return replyOf(services.deliveries.find(context.caller().user_id, about.id));
             });
  routes.post(
      "/api/v1/deliveries/{id}/replay",
      {"replayDelivery", "Send a delivery again",
       "`same` sends the delivery with its stored template, under the same id. `current` uses "
       "the current automation and webhook, and a new id. For admins of the scope."},
      {.params = path,
       .body = schema::Record<ReplayBody>("DeliveryReplay", Extra::kForbid)
                   .optional("mode", &ReplayBody::mode,
                             schema::enumeration<ReplayMode>(
                                 {{"same", ReplayMode::kSame}, {"current", ReplayMode::kCurrent}}))
                   .codec(),
       .reply = deliveryCodec(),
       .status = 202},
      [](const AutomationServices& services, const Context& context, const IdPath& about,
         const ReplayBody& body) {
        return replyOf(services.deliveries.replay(context.caller().user_id, about.id,
                                                  body.mode == ReplayMode::kCurrent));
      });
  routes.post("/api/v1/deliveries/{id}/cancel",
              {"cancelDelivery", "Cancel a delivery",
               "The delivery gets no further attempt. For admins of the scope."},
              {.params = path, .reply = deliveryCodec()},
              [](const AutomationServices& services, const Context& context, const IdPath& about) {
                return replyOf(services.deliveries.cancel(context.caller().user_id, about.id));
              });
}

void addRecovery(AutomationRoutes routes) {
  routes.post("/api/v1/teams/{team}/webhooks/{id}/recover",
              {"recoverWebhook", "Send the failed deliveries of a period again",
               "Oldest first; skipped deliveries and those cancelled because the webhook was "
               "disabled count as failed. For team admins."},
              {.params = webhookPath(),
               .body = schema::Record<RecoverBody>("WebhookRecovery", Extra::kForbid)
                           .required("since", &RecoverBody::since, schema::dateTime())
                           .optional("until", &RecoverBody::until,
                                     schema::nullable(schema::dateTime()), "Default: now.")
                           .codec(),
               .reply = schema::Record<RecoverReply>("WebhookRecovered")
                            .required("requeued", &RecoverReply::requeued, schema::integer(),
                                      "Number of deliveries.")
                            .codec(),
               .status = 202},
              [](const AutomationServices& services, const Context& context,
                 const WebhookPath& about, const RecoverBody& body) -> Result<RecoverReply> {
                const std::int64_t requeued = TRY(services.deliveries.recover(
                    context.caller().user_id, about.team, about.id, body.since, body.until));
                return RecoverReply{requeued};
              });
}

}  // namespace

void addDeliveryRoutes(AutomationRoutes routes) {
  routes.setTag("deliveries");
  addLists(routes);
  addSingle(routes);
  addRecovery(routes);
}

}  // namespace spindle::automation
