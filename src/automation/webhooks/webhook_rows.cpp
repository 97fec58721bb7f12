#include "automation/webhooks/webhook_rows.h"

#include "automation/rules/delivery_rows.h"

namespace spindle::automation {

using storage::Row;
using storage::Session;

const SqlText& selectWebhooks() {
  static const SqlText kSelect(
      "SELECT w.id, w.team_id, t.name AS team, w.name, w.url_endpoint, w.access_token_ref, "
      "w.secret_ref, w.max_concurrency, w.status, w.disabled_reason, w.version, w.created_at, "
      "w.updated_at, w.first_failure_at, w.failures, w.failing_since "
      "FROM webhooks w JOIN teams t ON t.id = w.team_id ");
  return kSelect;
}

Webhook webhookAt(const Row& row) {
  Webhook webhook;
  webhook.id = row.text("id");
  webhook.team_id = row.text("team_id");
  webhook.team = row.text("team");
  webhook.settings.name = row.text("name");
  webhook.settings.url_endpoint = row.text("url_endpoint");
  webhook.settings.access_token_ref = row.optionalText("access_token_ref");
  webhook.settings.secret_ref = row.optionalText("secret_ref");
  webhook.settings.max_concurrency = row.integer("max_concurrency");
  webhook.status = row.text("status") == textOf(WebhookStatus::kActive) ? WebhookStatus::kActive
                                                                        : WebhookStatus::kDisabled;
  webhook.disabled_reason = row.optionalText("disabled_reason");
  webhook.version = row.integer("version");
  webhook.created_at = row.time("created_at");
  webhook.updated_at = row.time("updated_at");
  return webhook;
}

WebhookHealth healthAt(const Row& row) {
  return {row.optionalTime("first_failure_at"), row.integer("failures"),
          row.optionalTime("failing_since")};
}

Result<void> setHealth(Session& session, std::string_view id, const WebhookHealth& health) {
  TRY(session.execute(
      "UPDATE webhooks SET first_failure_at = ?, failures = ?, failing_since = ? WHERE id = ?",
      {health.first_failure_at, health.failures, health.failing_since, id}));
  return {};
}

Result<void> disableWebhook(Session& session,
                            std::string_view id,
                            std::string_view reason,
                            Timestamp now) {
  TRY(session.execute(
      "UPDATE webhooks SET status = ?, disabled_reason = ?, version = version + 1, updated_at = ? "
      "WHERE id = ? AND status = ?",
      {textOf(WebhookStatus::kDisabled), reason, now, id, textOf(WebhookStatus::kActive)}));
  return cancelWaiting(session, DeliveryOwner::kWebhook, id,
                       {"webhook_disabled", "The webhook is disabled."}, now);
}

}  // namespace spindle::automation
