#include "automation/api/automation_api.h"
#include "automation/api/paths.h"
#include "automation/api/webhook_body.h"
#include "automation/payloads/violations.h"
#include "automation/webhooks/webhook_repository.h"
#include "http/router/resource.h"
#include "identity/access/access.h"
#include "identity/api/user_view.h"

namespace spindle::automation {
namespace {

using http::Context;
using identity::TeamAccess;
using schema::Extra, schema::ifPresent, schema::nullable, schema::string;

struct WebhooksQuery : http::PageQuery {
  std::string team;
  std::optional<WebhookStatus> status;
};

schema::Codec<WebhookStatus> webhookStatusCodec() {
  return schema::enumeration<WebhookStatus>(
      {{"active", WebhookStatus::kActive}, {"disabled", WebhookStatus::kDisabled}});
}

schema::Codec<Webhook> webhookCodec() {
  schema::Record<Webhook> record("Webhook");
  record.required("id", &Webhook::id, string(), "Assigned by the server.")
      .required("name", &Webhook::name, string(), "Unique in the team.")
      .required("url_endpoint", &Webhook::url_endpoint, string(),
                "Endpoint URL; only the host for users who are not team admins.");
  return describeCalls(record, true, schema::integer())
      .required("status", &Webhook::status, webhookStatusCodec())
      .required("disabled_reason", &Webhook::disabled_reason, nullable(string()),
                "`manual`, `failing` or `gone`.")
      .required("created_at", &Webhook::created_at, schema::dateTime())
      .required("updated_at", &Webhook::updated_at, schema::dateTime())
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

/// Leaves only the host of the URL for users who do not manage the webhooks of the team.
void hideUrl(Webhook& webhook, const TeamAccess& access) {
  if (allows(identity::Action::kManageWebhooks, access.roles)) return;
  webhook.url_endpoint = hostOf(webhook.url_endpoint);
}

Result<TeamAccess> require(const AutomationServices& services,
                           const Context& context,
                           const std::string& team,
                           identity::Action action) {
  return services.access.requireInTeam(context.caller().user_id, team, action);
}

Result<identity::Page<Webhook>> listWebhooks(const AutomationServices& services,
                                             const Context& context,
                                             const WebhooksQuery& query) {
  const TeamAccess access =
      TRY(require(services, context, query.team, identity::Action::kListWebhooks));
  const identity::PageRequest request = TRY(identity::pageRequestOf(query));
  identity::Page<Webhook> page = TRY(services.webhooks.list(access.team_id, query.status, request));
  for (Webhook& webhook : page.items) hideUrl(webhook, access);
  return page;
}

Result<Webhook> createWebhook(const AutomationServices& services,
                              const Context& context,
                              const WebhookPath& path,
                              const WebhookSettings& body) {
  TRY(checkEndpoint(services.client, body.url_endpoint));
  const TeamAccess access =
      TRY(require(services, context, path.team, identity::Action::kManageWebhooks));
  return services.webhooks.insert(access.team_id, body);
}

Result<Webhook> showWebhook(const AutomationServices& services,
                            const Context& context,
                            const WebhookPath& path) {
  const TeamAccess access =
      TRY(require(services, context, path.team, identity::Action::kListWebhooks));
  Webhook webhook = TRY(services.webhooks.find({access.team_id, path.id}));
  hideUrl(webhook, access);
  return webhook;
}

Result<Webhook> changeWebhook(const AutomationServices& services,
                              const Context& context,
                              const WebhookPath& path,
                              const WebhookChange& change) {
  if (change.url_endpoint) {
    TRY(checkEndpoint(services.client, *change.url_endpoint));
  }
  const TeamAccess access =
      TRY(require(services, context, path.team, identity::Action::kManageWebhooks));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  return services.webhooks.update({access.team_id, path.id}, change, version);
}

Result<void> removeWebhook(const AutomationServices& services,
                           const Context& context,
                           const WebhookPath& path) {
  const TeamAccess access =
      TRY(require(services, context, path.team, identity::Action::kManageWebhooks));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  return services.webhooks.remove({access.team_id, path.id}, version);
}

}  // namespace

Result<void> checkEndpoint(const WebhookClient& client, const std::string& url) {
  std::optional<std::string> problem = client.problemOf(url);
  if (!problem) return {};
  return Error::invalid(
      {violationAt({"body", "url_endpoint"}, "url_not_allowed", *std::move(problem))});
}

void addWebhookRoutes(AutomationRoutes routes) {
  routes.setTag(kWebhooksTag);
  const std::string all = "/api/v1/teams/{team}/webhooks";
  const http::Resource<AutomationServices, WebhookPath, Webhook, Webhook> webhooks(
      routes, {all, all + "/{id}"}, webhookPath(), webhookCodec(), &Webhook::version);
  webhooks.list(
      {"listWebhooks", "List the webhooks of a team", "Newest first. For admins and members."},
      "WebhookPage",
      inTeam(http::pageParameters<WebhooksQuery>())
          .query("status", &WebhooksQuery::status, ifPresent(webhookStatusCodec()),
                 "Only webhooks in this state."),
      listWebhooks);
  webhooks.create({"createWebhook", "Create a webhook", "For team admins."}, inTeam<WebhookPath>(),
                  newWebhookCodec(), createWebhook);
  webhooks.show({"getWebhook", "Show a webhook", "For admins and members."}, showWebhook);
  webhooks.change({"changeWebhook", "Change, disable or enable a webhook", "For team admins."},
                  webhookChangeCodec(), changeWebhook);
  webhooks.remove({"deleteWebhook", "Delete a webhook",
                   "Refused while automations use the webhook. For team admins."},
                  removeWebhook);
}

}  // namespace spindle::automation
