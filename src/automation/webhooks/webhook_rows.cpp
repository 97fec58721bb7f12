#include "automation/webhooks/webhook_rows.h"

#include "automation/rules/delivery_rows.h"

namespace spindle::automation {

using storage::Row;
using storage::Session;

namespace {

WebhookStatus storedWebhookStatus(std::string_view text) {
  return text == textOf(WebhookStatus::kActive) ? WebhookStatus::kActive : WebhookStatus::kDisabled;
}

const WritableColumns<Webhook>& stateColumns() {
  static const WritableColumns<Webhook> columns{
      {"team_id", &Webhook::team_id},
      {"status", &Webhook::status, storedWebhookStatus, textOf},
      {"disabled_reason", &Webhook::disabled_reason}};
  return columns;
}

}  // namespace

const WritableColumns<WebhookSettings>& settingColumns() {
  static const WritableColumns<WebhookSettings> columns{
      {"name", &WebhookSettings::name},
      {"url_endpoint", &WebhookSettings::url_endpoint},
      {"access_token_ref", &WebhookSettings::access_token_ref},
      {"secret_ref", &WebhookSettings::secret_ref},
      {"max_concurrency", &WebhookSettings::max_concurrency}};
  return columns;
}

ColumnValues webhookValues(const Webhook& webhook) {
  return versionedColumns()
      .of(webhook)
      .add(settingColumns().of(webhook))
      .add(stateColumns().of(webhook));
}

const SqlText& selectWebhooks() {
  static const SqlText select =
      "SELECT " + versionedColumns().list("w") + ", " + settingColumns().list("w") + ", " +
      stateColumns().list("w") +
      ", t.name AS team, w.first_failure_at, w.failures, w.failing_since FROM webhooks w "
      "JOIN published_teams t ON t.id = w.team_id ";
  return select;
}

Webhook webhookAt(const Row& row) {
  Webhook webhook = stateColumns().read(row);
  static_cast<VersionedRow&>(webhook) = versionedColumns().read(row);
  static_cast<WebhookSettings&>(webhook) = settingColumns().read(row);
  webhook.team = row.text("team");
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
