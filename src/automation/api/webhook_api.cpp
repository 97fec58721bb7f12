#include "automation/api/automation_api.h"
#include "automation/api/webhook_body.h"
#include "automation/api/webhook_path.h"
#include "automation/webhooks/webhook_repository.h"
#include "http/router/etag.h"
#include "http/router/paging.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/api/user_view.h"

namespace spindle::automation {
namespace {

using http::Context, http::Reply;
using identity::TeamAccess;
using schema::Extra, schema::ifPresent, schema::nullable, schema::string;

struct WebhookView : WebhookSettings {
  std::string id;
  WebhookStatus status = WebhookStatus::kActive;
  std::optional<std::string> disabled_reason;
  Timestamp created_at;
  Timestamp updated_at;
};

struct WebhooksQuery : http::PageQuery {
  std::string team;
  std::optional<WebhookStatus> status;
};
schema::Codec<WebhookStatus> webhookStatusCodec() {
  return schema::enumeration<WebhookStatus>(
      {{"active", WebhookStatus::kActive}, {"disabled", WebhookStatus::kDisabled}});
}

schema::Codec<WebhookView> webhookCodec() {
  return schema::Record<WebhookView>("Webhook")
      .required("id", &WebhookView::id, string(), "Assigned by the server.")
      .required("name", &WebhookView::name, string(), "Unique in the team.")
      .required("url_endpoint", &WebhookView::url_endpoint, string(),
                "Endpoint URL; only the host for users who are not team admins.")
      .required("access_token_ref", &WebhookView::access_token_ref, nullable(string()),
                "Name of the secret that is sent as a Bearer token.")
      .required("secret_ref", &WebhookView::secret_ref, nullable(string()),
                "Name of the signing secret, which payloads may use.")
      .required("max_concurrency", &WebhookView::max_concurrency, schema::integer(),
                "Maximum number of concurrent requests.")
      .required("status", &WebhookView::status, webhookStatusCodec(), "")
      .required("disabled_reason", &WebhookView::disabled_reason, nullable(string()),
                "`manual`, `failing` or `gone`.")
      .required("created_at", &WebhookView::created_at, schema::dateTime(), "")
      .required("updated_at", &WebhookView::updated_at, schema::dateTime(), "")
      .codec();
}

schema::Codec<WebhookSettings> newWebhookCodec() {
  schema::Record<WebhookSettings> record("NewWebhook", Extra::kForbid);
  return describeWebhook(record).codec();
}

schema::Codec<WebhookChange> webhookChangeCodec() {
  return schema::Record<WebhookChange>("WebhookChange", Extra::kForbid)
      .optional("name", &WebhookChange::name, ifPresent(webhookNameCodec()), "Unique in the team.")
      .optional("url_endpoint", &WebhookChange::url_endpoint, ifPresent(endpointUrlCodec()),
                "Endpoint URL: an https URL.")
      .optional("access_token_ref", &WebhookChange::access_token_ref, ifPresent(nullable(string())),
                "Name of a secret; null for none.")
      .optional("secret_ref", &WebhookChange::secret_ref, ifPresent(nullable(string())),
                "Name of a secret; null for none.")
      .optional("max_concurrency", &WebhookChange::max_concurrency, ifPresent(concurrencyCodec()),
                "Maximum number of concurrent requests.")
      .optional("status", &WebhookChange::status, ifPresent(webhookStatusCodec()),
                "A disabled webhook is not called.")
      .codec();
}

WebhookView viewOf(const Webhook& webhook, const TeamAccess& access) {
  WebhookView view{webhook.settings,        webhook.id,         webhook.status,
                   webhook.disabled_reason, webhook.created_at, webhook.updated_at};
  if (!allows(identity::Action::kManageWebhooks, access.roles)) {
    view.url_endpoint = hostOf(view.url_endpoint);
  }
  return view;
}

Reply<WebhookView> replyOf(const Webhook& webhook, const TeamAccess& access) {
  return Reply(viewOf(webhook, access)).with("ETag", http::etagOf(webhook.version));
}

Result<TeamAccess> require(const AutomationServices& services,
                           const Context& context,
                           const std::string& team,
                           identity::Action action) {
  return services.access.requireInTeam(context.caller().user_id, team, action);
}

Result<http::PageReply<WebhookView>> listWebhooks(const AutomationServices& services,
                                                  const Context& context,
                                                  const WebhooksQuery& query) {
  const TeamAccess access =
      TRY(require(services, context, query.team, identity::Action::kListWebhooks));
  const identity::PageRequest request = TRY(identity::pageRequestOf(query));
  const identity::Page<Webhook> page =
      TRY(services.webhooks.list(access.team_id, query.status, request));
  return identity::pageReply<WebhookView>(
      page, [&](const Webhook& webhook) { return viewOf(webhook, access); });
}

Result<Reply<WebhookView>> createWebhook(const AutomationServices& services,
                                         const Context& context,
                                         const WebhookPath& path,
                                         const WebhookSettings& body) {
  TRY(checkEndpoint(services.client, body.url_endpoint));
  const TeamAccess access =
      TRY(require(services, context, path.team, identity::Action::kManageWebhooks));
  const Webhook webhook = TRY(services.webhooks.insert(access.team_id, body));
  return replyOf(webhook, access);
}

Result<Reply<WebhookView>> showWebhook(const AutomationServices& services,
                                       const Context& context,
                                       const WebhookPath& path) {
  const TeamAccess access =
      TRY(require(services, context, path.team, identity::Action::kListWebhooks));
  const Webhook webhook = TRY(services.webhooks.find(access.team_id, path.id));
  return replyOf(webhook, access);
}

Result<Reply<WebhookView>> changeWebhook(const AutomationServices& services,
                                         const Context& context,
                                         const WebhookPath& path,
                                         const WebhookChange& change) {
  if (change.url_endpoint) {
    TRY(checkEndpoint(services.client, *change.url_endpoint));
  }
  const TeamAccess access =
      TRY(require(services, context, path.team, identity::Action::kManageWebhooks));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  const Webhook webhook = TRY(services.webhooks.update(access.team_id, path.id, change, version));
  return replyOf(webhook, access);
}

Result<void> removeWebhook(const AutomationServices& services,
                           const Context& context,
                           const WebhookPath& path) {
  const TeamAccess access =
      TRY(require(services, context, path.team, identity::Action::kManageWebhooks));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  TRY(services.webhooks.remove(access.team_id, path.id, version));
  return {};
}

}  // namespace

Result<void> checkEndpoint(const WebhookClient& client, const std::string& url) {
  std::optional<std::string> problem = client.problemOf(url);
  if (!problem) return {};
  Violation violation;
  violation.type = "url_not_allowed";
  violation.loc = {LocStep("body"), LocStep("url_endpoint")};
  violation.msg = *std::move(problem);
  return Error::invalid({std::move(violation)});
}

void addWebhookRoutes(AutomationRoutes routes) {
  routes.setTag(kWebhooksTag);
  routes.get(
      "/api/v1/teams/{team}/webhooks",
      {"listWebhooks", "List the webhooks of a team", "Newest first. For admins and members."},
      {.params = http::pageParameters<WebhooksQuery>()
                     .path("team", &WebhooksQuery::team, string(), "Name of the team.")
                     .query("status", &WebhooksQuery::status, ifPresent(webhookStatusCodec()),
                            "Only webhooks in this state."),
       .reply = http::pageCodec("WebhookPage", webhookCodec())},
      listWebhooks);
  routes.post("/api/v1/teams/{team}/webhooks",
              {"createWebhook", "Create a webhook", "For team admins."},
              {.params = webhookTeamPath(),
               .body = newWebhookCodec(),
               .reply = webhookCodec(),
               .status = 201,
               .facts = {.etag = true}},
              createWebhook);
  routes.get("/api/v1/teams/{team}/webhooks/{id}",
             {"getWebhook", "Show a webhook", "For admins and members."},
             {.params = webhookPath(), .reply = webhookCodec(), .facts = {.etag = true}},
             showWebhook);
  routes.patch("/api/v1/teams/{team}/webhooks/{id}",
               {"changeWebhook", "Change, disable or enable a webhook", "For team admins."},
               {.params = webhookPath(),
                .body = webhookChangeCodec(),
                .reply = webhookCodec(),
                .facts = {.etag = true, .if_match = true}},
               changeWebhook);
  routes.remove("/api/v1/teams/{team}/webhooks/{id}",
                {"deleteWebhook", "Delete a webhook",
                 "Refused while automations use the webhook. For team admins."},
                {.params = webhookPath(), .facts = {.if_match = true}}, removeWebhook);
}

}  // namespace spindle::automation
