#include "automation/webhooks/webhook_repository.h"

#include <utility>
#include <vector>

#include "automation/payloads/violations.h"
#include "automation/rules/delivery_rows.h"
#include "automation/webhooks/webhook_rows.h"
#include "identity/audit/audit_trail.h"
#include "storage/database/database.h"

namespace spindle::automation {
namespace {

using identity::IfVersion, identity::Page, identity::PageRequest;
using storage::Row, storage::Rows, storage::Session;

constexpr int kMaxListedAutomations = 20;  // automations listed in the error message

Result<void> recordWebhookChange(Session& session,
                                 std::string_view action,
                                 const Webhook& webhook,
                                 Timestamp now) {
  return identity::recordChange(session,
                                {.action = action,
                                 .target_id = webhook.id,
                                 .target_name = webhook.name,
                                 .team_id = webhook.team_id},
                                now);
}

Result<Webhook> findWhere(Session& session, SqlView condition, const storage::Params& params) {
  const std::optional<Row> row = TRY(session.queryOne(selectWebhooks() + condition, params));
  if (!row.has_value()) return Error::notFound("Webhook not found");
  return webhookAt(*row);
}

Result<Webhook> findIn(Session& session, const WebhookKey& key) {
  return findWhere(session, "WHERE w.team_id = ? AND w.id = ?", {key.team_id, key.id});
}

Result<void> checkSecrets(Session& session,
                          std::string_view team_id,
                          const WebhookSettings& settings) {
  std::vector<Violation> violations;
  for (const bool is_token : {true, false}) {
    const std::optional<std::string>& name =
        is_token ? settings.access_token_ref : settings.secret_ref;
    if (!name) continue;
    const std::optional<Row> row = TRY(session.queryOne(
        "SELECT id FROM secrets WHERE team_id = ? AND name = ?", {team_id, *name}));
    if (row.has_value()) continue;
    violations.push_back(violationAt({"body", is_token ? "access_token_ref" : "secret_ref"},
                                     "unknown_reference", "The team has no secret with this name"));
  }
  if (!violations.empty()) return Error::invalid(std::move(violations));
  return {};
}

/// Checks that no other webhook of the team has the name.
Result<void> checkName(Session& session, const WebhookKey& own, std::string_view name) {
  const std::optional<Row> row =
      TRY(session.queryOne("SELECT id FROM webhooks WHERE team_id = ? AND name = ? AND id <> ?",
                           {own.team_id, name, own.id}));
  if (row.has_value()) {
    return Error::conflict("A webhook with this name exists already.")
        .because("webhook_name_taken");
  }
  return {};
}

void apply(const WebhookChange& change, Webhook& webhook) {
  if (change.name) webhook.name = *change.name;
  if (change.url_endpoint) webhook.url_endpoint = *change.url_endpoint;
  if (change.access_token_ref) webhook.access_token_ref = *change.access_token_ref;
  if (change.secret_ref) webhook.secret_ref = *change.secret_ref;
  if (change.max_concurrency) webhook.max_concurrency = *change.max_concurrency;
  if (!change.status || *change.status == webhook.status) return;
  webhook.status = *change.status;
  webhook.disabled_reason = *change.status == WebhookStatus::kDisabled
                                ? std::optional<std::string>("manual")
                                : std::nullopt;
}

}  // namespace

std::string_view textOf(WebhookStatus status) {
  return status == WebhookStatus::kActive ? "active" : "disabled";
}

Result<Webhook> WebhookRepository::insert(std::string_view team_id,
                                          const WebhookSettings& settings) {
  Webhook webhook{settings, newRow("wh_", clock_.now())};
  webhook.team_id = team_id;
  const ColumnValues row = webhookValues(webhook);
  const WebhookKey key{team_id, webhook.id};
  return database_.write([&](Session& session) -> Result<Webhook> {
    TRY(checkSecrets(session, team_id, settings));
    TRY(checkName(session, key, settings.name));
    TRY(session.execute(row.insertInto("webhooks"), row.values()));
    TRY(recordWebhookChange(session, "webhook.create", webhook, webhook.created_at));
    return findIn(session, key);
  });
}

Result<Webhook> WebhookRepository::find(const WebhookKey& key) {
  return database_.read([&](Session& session) { return findIn(session, key); });
}

Result<Webhook> WebhookRepository::findAnywhere(std::string_view id) {
  return database_.read(
      [&](Session& session) { return findWhere(session, "WHERE w.id = ?", {id}); });
}

Result<Page<Webhook>> WebhookRepository::list(std::string_view team_id,
                                              const std::optional<WebhookStatus>& status,
                                              const PageRequest& page) {
  return database_.read([&](Session& session) -> Result<Page<Webhook>> {
    const Conditions conditions{
        {"w.team_id =", team_id}, {"w.id <", page.below()}, {"w.status =", status}};
    std::vector<Webhook> webhooks =
        TRY(firstRows(session, selectWebhooks(), conditions, "ORDER BY w.id DESC LIMIT ?",
                      page.limit + 1, webhookAt));
    return identity::pageOf(std::move(webhooks), page);
  });
}

Result<Webhook> WebhookRepository::update(const WebhookKey& key,
                                          const WebhookChange& change,
                                          IfVersion if_version) {
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<Webhook> {
    Webhook webhook = TRY(findIn(session, key));
    TRY(identity::checkVersion(if_version, webhook.version));
    const WebhookStatus before = webhook.status;
    apply(change, webhook);
    // An unchanged reference may be invalid after its secret was deleted with `force`.
    WebhookSettings fresh;
    if (change.access_token_ref) fresh.access_token_ref = webhook.access_token_ref;
    if (change.secret_ref) fresh.secret_ref = webhook.secret_ref;
    TRY(checkSecrets(session, key.team_id, fresh));
    TRY(checkName(session, key, webhook.name));
    ColumnValues row = settingColumns().of(webhook);
    row.add({{"status", textOf(webhook.status)},
             {"disabled_reason", webhook.disabled_reason},
             {"updated_at", now}});
    TRY(session.execute(row.update("webhooks") + ", version = version + 1 WHERE id = ?",
                        row.values({key.id})));
    TRY(recordWebhookChange(session, "webhook.update", webhook, now));
    if (change.status && *change.status == WebhookStatus::kActive) {
      TRY(setHealth(session, key.id, {}));
    }
    if (before == WebhookStatus::kActive && webhook.status == WebhookStatus::kDisabled) {
      TRY(cancelWaiting(session, DeliveryOwner::kWebhook, key.id,
                        {"webhook_disabled", "The webhook is disabled."}, now));
    }
    return findIn(session, key);
  });
}

Result<void> WebhookRepository::remove(const WebhookKey& key, IfVersion if_version) {
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<void> {
    const Webhook webhook = TRY(findIn(session, key));
    TRY(identity::checkVersion(if_version, webhook.version));
    const Rows users =
        TRY(session.query("SELECT id FROM automations WHERE webhook_id = ? ORDER BY id LIMIT ?",
                          {key.id, kMaxListedAutomations}));
    if (!users.empty()) {
      std::string names;
      for (const Row& row : users) names += (names.empty() ? "" : ", ") + row.text("id");
      return Error::conflict("Automations use this webhook: " + names).because("webhook_in_use");
    }
    TRY(session.execute("DELETE FROM webhooks WHERE id = ?", {key.id}));
    TRY(recordWebhookChange(session, "webhook.delete", webhook, now));
    return cancelWaiting(session, DeliveryOwner::kWebhook, key.id,
                         {"webhook_removed", "The webhook was deleted."}, now);
  });
}

Result<void> WebhookRepository::checkReferences(std::string_view team_id,
                                                const WebhookSettings& settings) {
  return database_.read([&](Session& session) { return checkSecrets(session, team_id, settings); });
}

}  // namespace spindle::automation
