#include "automation/webhooks/webhook_repository.h"

#include <utility>
#include <vector>

#include "automation/rules/delivery_rows.h"
#include "automation/rules/sql_parts.h"
#include "automation/webhooks/webhook_rows.h"
#include "base/crypto/id.h"
#include "storage/database/database.h"

namespace spindle::automation {
namespace {

using identity::IfVersion, identity::Page, identity::PageRequest;
using storage::Row, storage::Rows, storage::Session;

constexpr int kMaxListedAutomations = 20;  // automations listed in the error message

Result<Webhook> findWhere(Session& session, SqlView condition, const storage::Params& params) {
  const std::optional<Row> row = TRY(session.queryOne(selectWebhooks() + condition, params));
  if (!row.has_value()) return Error::notFound("Webhook not found");
  return webhookAt(*row);
}

Result<Webhook> findIn(Session& session, std::string_view team_id, std::string_view id) {
  return findWhere(session, "WHERE w.team_id = ? AND w.id = ?", {team_id, id});
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
    Violation violation;
    violation.type = "unknown_reference";
    violation.loc = {LocStep("body"), LocStep(is_token ? "access_token_ref" : "secret_ref")};
    violation.msg = "The team has no secret with this name";
    violations.push_back(std::move(violation));
  }
  if (!violations.empty()) return Error::invalid(std::move(violations));
  return {};
}

Result<void> checkName(Session& session,
                       std::string_view team_id,
                       std::string_view name,
                       std::string_view own_id) {
  const std::optional<Row> row =
      TRY(session.queryOne("SELECT id FROM webhooks WHERE team_id = ? AND name = ? AND id <> ?",
                           {team_id, name, own_id}));
  if (row.has_value()) {
    return Error::conflict("A webhook with this name exists already.")
        .because("webhook_name_taken");
  }
  return {};
}

ColumnValues settingValues(const WebhookSettings& settings) {
  return {{"name", settings.name},
          {"url_endpoint", settings.url_endpoint},
          {"access_token_ref", settings.access_token_ref},
          {"secret_ref", settings.secret_ref},
          {"max_concurrency", settings.max_concurrency}};
}

void apply(const WebhookChange& change, Webhook& webhook) {
  WebhookSettings& settings = webhook.settings;
  if (change.name) settings.name = *change.name;
  if (change.url_endpoint) settings.url_endpoint = *change.url_endpoint;
  if (change.access_token_ref) settings.access_token_ref = *change.access_token_ref;
  if (change.secret_ref) settings.secret_ref = *change.secret_ref;
  if (change.max_concurrency) settings.max_concurrency = *change.max_concurrency;
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
  const Timestamp now = clock_.now();
  const std::string id = newPrefixedId("wh_", now);
  return database_.write([&](Session& session) -> Result<Webhook> {
    TRY(checkSecrets(session, team_id, settings));
    TRY(checkName(session, team_id, settings.name, ""));
    ColumnValues row = settingValues(settings);
    row.add({{"id", id},
             {"team_id", team_id},
             {"status", textOf(WebhookStatus::kActive)},
             {"version", 1},
             {"created_at", now},
             {"updated_at", now}});
    TRY(session.execute(row.insertInto("webhooks"), row.values()));
    return findIn(session, team_id, id);
  });
}

Result<Webhook> WebhookRepository::find(std::string_view team_id, std::string_view id) {
  return database_.read([&](Session& session) { return findIn(session, team_id, id); });
}

Result<Webhook> WebhookRepository::findAnywhere(std::string_view id) {
  return database_.read(
      [&](Session& session) { return findWhere(session, "WHERE w.id = ?", {id}); });
}

Result<Page<Webhook>> WebhookRepository::list(std::string_view team_id,
                                              const std::optional<WebhookStatus>& status,
                                              const PageRequest& page) {
  return database_.read([&](Session& session) -> Result<Page<Webhook>> {
    Conditions conditions("w.team_id =", team_id);
    conditions.add("w.id <", storage::Value(page.below()));
    conditions.add("w.status =", status);
    const Rows rows =
        TRY(session.query(selectWebhooks() + conditions.where() + "ORDER BY w.id DESC LIMIT ?",
                          conditions.values({page.limit + 1})));
    std::vector<Webhook> webhooks;
    for (const Row& row : rows) webhooks.push_back(webhookAt(row));
    return identity::pageOf(std::move(webhooks), page.limit,
                            [](const Webhook& webhook) { return webhook.id; });
  });
}

Result<Webhook> WebhookRepository::update(std::string_view team_id,
                                          std::string_view id,
                                          const WebhookChange& change,
                                          IfVersion if_version) {
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<Webhook> {
    Webhook webhook = TRY(findIn(session, team_id, id));
    TRY(identity::checkVersion(if_version, webhook.version));
    const WebhookStatus before = webhook.status;
    apply(change, webhook);
    const WebhookSettings& settings = webhook.settings;
    // An unchanged reference may be invalid after its secret was deleted with `force`.
    WebhookSettings fresh;
    if (change.access_token_ref) fresh.access_token_ref = settings.access_token_ref;
    if (change.secret_ref) fresh.secret_ref = settings.secret_ref;
    TRY(checkSecrets(session, team_id, fresh));
    TRY(checkName(session, team_id, settings.name, id));
    ColumnValues row = settingValues(settings);
    row.add({{"status", textOf(webhook.status)},
             {"disabled_reason", webhook.disabled_reason},
             {"updated_at", now}});
    TRY(session.execute(row.update("webhooks") + ", version = version + 1 WHERE id = ?",
                        row.values({id})));
    if (change.status && *change.status == WebhookStatus::kActive) {
      TRY(setHealth(session, id, {}));
    }
    if (before == WebhookStatus::kActive && webhook.status == WebhookStatus::kDisabled) {
      TRY(cancelWaiting(session, DeliveryOwner::kWebhook, id,
                        {"webhook_disabled", "The webhook is disabled."}, now));
    }
    return findIn(session, team_id, id);
  });
}

Result<void> WebhookRepository::remove(std::string_view team_id,
                                       std::string_view id,
                                       IfVersion if_version) {
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<void> {
    const Webhook webhook = TRY(findIn(session, team_id, id));
    TRY(identity::checkVersion(if_version, webhook.version));
    const Rows users =
        TRY(session.query("SELECT id FROM automations WHERE webhook_id = ? ORDER BY id LIMIT ?",
                          {id, kMaxListedAutomations}));
    if (!users.empty()) {
      std::string names;
      for (const Row& row : users) names += (names.empty() ? "" : ", ") + row.text("id");
      return Error::conflict("Automations use this webhook: " + names).because("webhook_in_use");
    }
    TRY(session.execute("DELETE FROM webhooks WHERE id = ?", {id}));
    return cancelWaiting(session, DeliveryOwner::kWebhook, id,
                         {"webhook_removed", "The webhook was deleted."}, now);
  });
}

Result<void> WebhookRepository::checkReferences(std::string_view team_id,
                                                const WebhookSettings& settings) {
  return database_.read([&](Session& session) { return checkSecrets(session, team_id, settings); });
}

}  // namespace spindle::automation
