#include "automation/deliveries/delivery_repository.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "automation/deliveries/attempt_rows.h"
#include "automation/rules/automation_rows.h"
#include "automation/rules/delivery_rows.h"
#include "automation/webhooks/webhook.h"
#include "base/crypto/id.h"
#include "live/change_log.h"
#include "storage/database/database.h"

namespace spindle::automation {
namespace {

using identity::Page, identity::PageRequest;
using storage::Row, storage::Rows, storage::Session;

constexpr std::chrono::hours kDeliveryRetention{24 * 30};
constexpr std::chrono::hours kBodyRetention{24 * 7};
constexpr std::int64_t kTemplateDays = 31;
constexpr int kDeleteBatch = 1000;

DeliveryStatus storedStatus(std::string_view text) {
  return deliveryStatusOf(text).value_or(DeliveryStatus::kFailed);
}

const storage::Columns<Delivery>& deliveryColumns() {
  static const storage::Columns<Delivery> columns{
      {"event_id", &Delivery::event_id},
      {"event_type", &Delivery::event_type, storedEventType, textOf},
      {"webhook_id", &Delivery::webhook_id},
      {"status", &Delivery::status, storedStatus, textOf},
      {"attempt_count", &Delivery::attempt_count},
      {"created_at", &Delivery::created_at},
      {"finished_at", &Delivery::finished_at},
      {"replay_of", &Delivery::replay_of}};
  return columns;
}

const SqlText& selectDeliveries() {
  static const SqlText select =
      "SELECT " + deliveryHeaderColumns().list("a") + ", " + deliveryColumns().list("a") +
      ", coalesce(a.url, w.url_endpoint) AS url, wt.name AS webhook_team, a.due_at, a.error_code, "
      "a.error_message, a.request_headers, a.request_body, a.body_sha256, " +
      SqlText(scopeColumns()) + "FROM deliveries a " + scopeJoins() +
      "LEFT JOIN webhooks w ON w.id = a.webhook_id "
      "LEFT JOIN published_teams wt ON wt.id = w.team_id ";
  return select;
}

Delivery deliveryAt(const Row& row) {
  Delivery delivery = deliveryColumns().read(row);
  static_cast<DeliveryHeader&>(delivery) = deliveryHeaderColumns().read(row);
  delivery.scope = scopeAt(row);
  delivery.url = row.optionalText("url");
  delivery.webhook_team = row.optionalText("webhook_team").value_or("");
  if (delivery.status != DeliveryStatus::kInFlight) {
    delivery.next_attempt_at = row.optionalTime("due_at");
  }
  delivery.last_error = deliveryErrorAt(row);
  if (const std::optional<std::string> sha256 = row.optionalText("body_sha256")) {
    delivery.request =
        SentRequest{delivery.url.value_or(""), row.optionalText("request_headers").value_or("{}"),
                    row.optionalText("request_body").value_or(""), *sha256};
  }
  return delivery;
}

Result<Delivery> findIn(Session& session, std::string_view id) {
  const std::optional<Row> row = TRY(session.queryOne(selectDeliveries() + "WHERE a.id = ?", {id}));
  if (!row.has_value()) return Error::notFound("Delivery not found");
  return deliveryAt(*row);
}

Result<void> requireActive(Session& session, const std::optional<std::string>& webhook_id) {
  if (!webhook_id) {
    return Error::conflict("This automation calls no webhook.").because("nothing_to_send");
  }
  const std::optional<Row> row =
      TRY(session.queryOne("SELECT status FROM webhooks WHERE id = ?", {*webhook_id}));
  if (!row.has_value() || row->text("status") != textOf(WebhookStatus::kActive)) {
    return Error::conflict("The webhook is disabled or deleted.").because("webhook_disabled");
  }
  return {};
}

Result<void> requireFinished(const Delivery& delivery) {
  if (!isFinished(delivery.status)) {
    return Error::conflict("The delivery is not finished.").because("in_flight");
  }
  return {};
}

/// Resets a delivery to its first attempt. Parameters: status and due time.
constexpr SqlView kResetDelivery =
    "UPDATE deliveries SET status = ?, due_at = ?, round_attempts = 0, finished_at = NULL, "
    "error_code = NULL, error_message = NULL ";

}  // namespace

Result<Delivery> DeliveryRepository::find(std::string_view id) {
  return database_.read([&](Session& session) { return findIn(session, id); });
}

Result<std::vector<DeliveryAttempt>> DeliveryRepository::attempts(const Delivery& delivery) {
  return database_.read([&](Session& session) { return attemptsOf(session, delivery.number); });
}

Result<Page<Delivery>> DeliveryRepository::list(const DeliveryFilter& filter,
                                                const SeesScope& sees,
                                                const PageRequest& page) {
  const std::optional<std::int64_t> start = positionOf(page.after);
  if (!start) return Error::invalidArgument("The cursor is not one of this list.");
  const auto read = [&](std::int64_t before, int count) {
    const Conditions conditions{{"a.number <", before},
                                {"", filter.team_id, "IN (a.team_id, w.team_id)"},
                                {"a.automation_id =", filter.automation_id},
                                {"a.webhook_id =", filter.webhook_id},
                                {"a.status =", filter.status},
                                {"a.created_at >=", filter.since},
                                {"a.created_at <", filter.until}};
    return database_.read([&](Session& session) {
      return firstRows(session, selectDeliveries(), conditions, "ORDER BY a.number DESC LIMIT ?",
                       count, deliveryAt);
    });
  };
  return visiblePage<Delivery>(
      page.limit, *start, read, [](const Delivery& delivery) { return delivery.number; },
      [&](const Delivery& delivery) { return sees(delivery.scope); });
}

Result<std::vector<std::string>> DeliveryRepository::idsOfEvent(std::string_view event_id) {
  return database_.read([&](Session& session) {
    // Events of one change share the key of the change.
    return collectRows(
        session.query(
            "SELECT d.id FROM published_events e JOIN deliveries d ON d.event_key = "
            "CASE WHEN e.change_id = '' THEN e.id ELSE e.change_id END AND d.event_id = e.id "
            "WHERE e.id = ? ORDER BY d.number",
            {event_id}),
        [](const Row& row) { return row.text("id"); });
  });
}

Result<Delivery> DeliveryRepository::replay(std::string_view id) {
  const Timestamp now = clocks_.schedule.now();
  return database_.write([&](Session& session) -> Result<Delivery> {
    const Delivery delivery = TRY(findIn(session, id));
    TRY(requireFinished(delivery));
    TRY(requireActive(session, delivery.webhook_id));
    TRY(session.execute(SqlText(kResetDelivery) + "WHERE id = ?",
                        {textOf(DeliveryStatus::kPending), now, id}));
    return findIn(session, id);
  });
}

Result<Delivery> DeliveryRepository::replayCurrent(std::string_view id) {
  const Timestamp now = clocks_.wall.now();
  const std::string fresh = newPrefixedId("dlv_", now);
  return database_.write([&](Session& session) -> Result<Delivery> {
    const Delivery delivery = TRY(findIn(session, id));
    TRY(requireFinished(delivery));
    const std::optional<Row> row =
        TRY(session.queryOne(selectAutomations() + "WHERE a.id = ?", {delivery.automation_id}));
    if (!row.has_value()) {
      return Error::conflict("The automation was deleted.").because("automation_deleted");
    }
    const Automation automation = automationAt(*row);
    const Action& action = automation.draft.action;
    TRY(requireActive(session, action.webhook_id));
    const std::string digest = TRY(storeTemplate(session, action, now));
    TRY(session.execute(
        "INSERT INTO deliveries (id, event_key, automation_id, replay, automation_name, "
        "scope_type, team_id, project_id, registry_id, collection_id, event_id, event_type, "
        "event_time, event_author, event_artifact, event_run, event_data, webhook_id, template, "
        "status, due_at, attempt_count, round_attempts, created_at, replay_of) "
        "SELECT CAST(? AS TEXT), d.event_key, d.automation_id, (SELECT max(r.replay) + 1 FROM "
        "deliveries r WHERE r.event_key = d.event_key AND r.automation_id = d.automation_id), "
        "CAST(? AS TEXT), d.scope_type, d.team_id, d.project_id, d.registry_id, d.collection_id, "
        "d.event_id, d.event_type, d.event_time, d.event_author, d.event_artifact, d.event_run, "
        "d.event_data, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), 0, "
        "0, CAST(? AS BIGINT), d.id FROM deliveries d WHERE d.id = ?",
        {fresh, automation.draft.name, action.webhook_id, digest, textOf(DeliveryStatus::kPending),
         clocks_.schedule.now(), now, id}));
    return findIn(session, fresh);
  });
}

Result<Delivery> DeliveryRepository::cancel(std::string_view id) {
  const Timestamp now = clocks_.wall.now();
  std::optional<std::string> team_id;
  Result<Delivery> cancelled = database_.write([&](Session& session) -> Result<Delivery> {
    const Delivery delivery = TRY(findIn(session, id));
    team_id.reset();
    if (isFinished(delivery.status)) {
      return Error::conflict("The delivery is already finished.").because("finished");
    }
    TRY(session.execute(
        "UPDATE deliveries SET status = ?, due_at = NULL, finished_at = ?, error_code = ?, "
        "error_message = ? WHERE id = ?",
        {textOf(DeliveryStatus::kCancelled), now, "cancelled", "A user cancelled the delivery.",
         id}));
    const std::optional<Row> webhook = TRY(session.queryOne(
        "SELECT team_id FROM webhooks WHERE id = ?", {delivery.webhook_id.value_or("")}));
    if (webhook) team_id = webhook->text("team_id");
    return findIn(session, id);
  });
  // The engine publishes all other changes: it sends what was replayed.
  if (cancelled && team_id && changes_ != nullptr) {
    changes_->publish(live::Topic::kDeliveries, *team_id, 1, now);
  }
  return cancelled;
}

Result<std::int64_t> DeliveryRepository::recover(std::string_view webhook_id,
                                                 Timestamp since,
                                                 std::optional<Timestamp> until) {
  const Timestamp now = clocks_.wall.now();
  const Timestamp end = until.value_or(now + std::chrono::microseconds(1));
  return database_.write([&](Session& session) -> Result<std::int64_t> {
    TRY(requireActive(session, std::string(webhook_id)));
    return session.execute(
        SqlText(kResetDelivery) +
            "WHERE webhook_id = ? AND created_at >= ? AND created_at < ? AND "
            "(status IN (?, ?) OR (status = ? AND error_code = ?))",
        {textOf(DeliveryStatus::kPending), clocks_.schedule.now(), webhook_id, since, end,
         textOf(DeliveryStatus::kFailed), textOf(DeliveryStatus::kSkipped),
         textOf(DeliveryStatus::kCancelled), "webhook_disabled"});
  });
}

Result<bool> DeliveryRepository::deleteExpired() {
  // Setting the wall clock forward while the server runs expires nothing.
  const Timestamp now = clocks_.earlier();
  return database_.write([&](Session& session) -> Result<bool> {
    // Numbers ascend with the creation time, so the oldest deliveries are first.
    const Rows oldest = TRY(session.query(
        "SELECT number, created_at FROM deliveries ORDER BY number LIMIT ?", {kDeleteBatch}));
    std::int64_t last = 0;
    bool more = false;
    for (const Row& row : oldest) {
      more = row.time("created_at") < now - kDeliveryRetention;
      if (!more) break;
      last = row.integer("number");
    }
    for (const SqlView statement : {SqlView("DELETE FROM delivery_attempts WHERE delivery <= ?"),
                                    SqlView("DELETE FROM deliveries WHERE number <= ?")}) {
      if (last == 0) break;
      TRY(session.execute(statement, {last}));
    }
    const Rows next = TRY(
        session.query("SELECT d.number, d.created_at FROM deliveries d WHERE d.number > "
                      "(SELECT emptied FROM delivery_state WHERE id = 1) ORDER BY d.number LIMIT ?",
                      {kDeleteBatch}));
    std::int64_t emptied = 0;
    for (const Row& row : next) {
      if (row.time("created_at") >= now - kBodyRetention) break;
      emptied = row.integer("number");
    }
    for (const SqlView statement :
         {SqlView("UPDATE deliveries SET request_headers = NULL, request_body = NULL WHERE "
                  "number > (SELECT emptied FROM delivery_state WHERE id = 1) AND number <= ?"),
          SqlView("UPDATE delivery_attempts SET response_headers = NULL, response_body = NULL "
                  "WHERE delivery > (SELECT emptied FROM delivery_state WHERE id = 1) AND "
                  "delivery <= ?"),
          SqlView("UPDATE delivery_state SET emptied = ? WHERE id = 1")}) {
      if (emptied == 0) break;
      TRY(session.execute(statement, {emptied}));
    }
    const auto today = std::chrono::floor<std::chrono::days>(now).time_since_epoch().count();
    TRY(session.execute("DELETE FROM payload_templates WHERE used_on < ?",
                        {today - kTemplateDays}));
    return more || emptied != 0;
  });
}

Result<std::int64_t> DeliveryRepository::dispatched() {
  return database_.read([&](Session& session) -> Result<std::int64_t> {
    const std::optional<Row> row =
        TRY(session.queryOne("SELECT dispatched FROM delivery_state WHERE id = 1"));
    return row->integer("dispatched");
  });
}

}  // namespace spindle::automation
