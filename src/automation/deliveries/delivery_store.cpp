#include "automation/deliveries/delivery_store.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "automation/deliveries/attempt_rows.h"
#include "automation/payloads/header_json.h"
#include "automation/rules/automation_rows.h"
#include "automation/rules/delivery_rows.h"
#include "automation/webhooks/webhook_rows.h"
#include "base/crypto/id.h"
#include "live/change_log.h"
#include "storage/database/database.h"

namespace spindle::automation {
namespace {

using storage::Row, storage::Rows, storage::Session, storage::Value;

/// Stores the outcomes of attempts.
class OutcomeWriter {
 public:
  OutcomeWriter(Session& session, const Clocks& clocks)
      : session_(session), now_(clocks.wall.now()), scheduled_now_(clocks.schedule.now()) {}

  Result<void> add(const AttemptReport& report) {
    RetryDecision decision = report.decision;
    if (decision.request_sent) {
      TRY(updateHealth(report, decision));
    }
    TRY(storeAttempt(report));
    Value finished;
    if (isFinished(decision.status)) finished = Value(now_);
    const SentRequest request = report.request.value_or(SentRequest());
    ColumnValues row = errorValues(decision.error);
    row.add({{"status", textOf(decision.status)},
             {"due_at", decision.next_attempt_at},
             {"worker", std::nullopt},
             {"finished_at", finished},
             {"url", orNull(request.url)},
             {"request_headers", orNull(request.headers)},
             {"request_body", orNull(request.body)},
             {"body_sha256", orNull(request.body_sha256)}});
    TRY(session_.execute(
        row.update("deliveries") + " WHERE number = ? AND status = ? AND attempt_count = ?",
        row.values({report.delivery, textOf(DeliveryStatus::kInFlight), report.attempt})));
    return {};
  }

 private:
  Result<void> storeAttempt(const AttemptReport& report) {
    const Attempt& outcome = report.outcome;
    DeliveryAttempt attempt;
    attempt.id = newPrefixedId("att_", report.started_at);
    attempt.number = report.attempt;
    attempt.started_at = report.started_at;
    attempt.duration_ms = outcome.duration.count();
    if (!outcome.remote_ip.empty()) attempt.remote_ip = outcome.remote_ip;
    if (outcome.response) {
      attempt.response_status = outcome.response->status;
      attempt.response_headers = json::Text{headersText(outcome.response->headers)};
      attempt.response_body = storableText(outcome.response->body);
      attempt.truncated = outcome.response->truncated;
    } else {
      attempt.error = DeliveryError{outcome.error_code, outcome.error_message};
    }
    return insertAttempt(session_, report.delivery, attempt);
  }

  /// Updates the health of the endpoint. Cancels retries to a webhook that is disabled.
  Result<void> updateHealth(const AttemptReport& report, RetryDecision& decision) {
    if (decision.status == DeliveryStatus::kSucceeded) {
      if (!recovered_.emplace(report.webhook_id).second) return {};
      TRY(session_.execute(
          "UPDATE webhooks SET first_failure_at = NULL, failures = 0, failing_since = NULL "
          "WHERE id = ? AND first_failure_at IS NOT NULL",
          {report.webhook_id}));
      return {};
    }
    recovered_.erase(report.webhook_id);
    const std::optional<Row> row =
        TRY(session_.queryOne(selectWebhooks() + "WHERE w.id = ?", {report.webhook_id}));
    const bool active = row.has_value() && webhookAt(*row).status == WebhookStatus::kActive;
    if (!active && decision.status == DeliveryStatus::kRetrying) {
      decision.status = DeliveryStatus::kCancelled;
      decision.next_attempt_at.reset();
      decision.error = DeliveryError{"webhook_disabled", "The webhook is disabled."};
    }
    if (!active) return {};
    WebhookHealth health = healthAt(*row);
    const bool failing = addFailure(health, scheduled_now_);
    TRY(setHealth(session_, report.webhook_id, health));
    if (!failing && !decision.gone) return {};
    if (decision.status == DeliveryStatus::kRetrying) {
      decision.status = DeliveryStatus::kCancelled;
      decision.next_attempt_at.reset();
    }
    return disableWebhook(session_, report.webhook_id, decision.gone ? "gone" : "failing", now_);
  }

  Session& session_;
  const Timestamp now_;
  const Timestamp scheduled_now_;
  std::set<std::string> recovered_;
};

/// Claims due deliveries.
class Claims {
 public:
  Claims(Session& session, const std::string& worker, const Clocks& clocks)
      : session_(session),
        worker_(worker),
        clocks_(clocks),
        now_(clocks.wall.now()),
        scheduled_now_(clocks.schedule.now()) {}

  /// `is_fresh`: the webhook has a new delivery.
  Result<void> take(const WebhookQuota& share, bool is_fresh, DeliveryCycle& cycle) {
    const std::size_t claimed_before = cycle.claimed.size();
    const std::optional<Row> row =
        TRY(session_.queryOne(selectWebhooks() + "WHERE w.id = ?", {share.webhook_id}));
    if (!row.has_value() || webhookAt(*row).status != WebhookStatus::kActive) {
      if (row.has_value()) ++cycle.changed[webhookAt(*row).team_id];
      return cancelDueDeliveries(share, cycle);
    }
    const auto webhook = std::make_shared<const Webhook>(webhookAt(*row));
    std::int64_t concurrency = webhook->max_concurrency;
    if (share.throttled) concurrency = std::max<std::int64_t>(1, concurrency / 2);
    const std::int64_t room = std::min<std::int64_t>(share.quota, concurrency - share.in_flight);
    DeliveryCycle::WebhookBacklog state{share.webhook_id, scheduled_now_,
                                        concurrency - share.in_flight <= share.quota};
    if (room > 0) {
      TRY(takeRows(webhook, room, cycle, state));
    }
    cycle.backlogs.push_back(std::move(state));
    const auto claimed = static_cast<std::int64_t>(cycle.claimed.size() - claimed_before);
    // A new delivery that has to wait is a change too.
    const std::int64_t changed = claimed > 0 || !is_fresh ? claimed : 1;
    if (changed > 0) cycle.changed[webhook->team_id] += changed;
    return {};
  }

 private:
  Result<void> takeRows(const std::shared_ptr<const Webhook>& webhook,
                        std::int64_t room,
                        DeliveryCycle& cycle,
                        DeliveryCycle::WebhookBacklog& state) {
    // Read one row more than needed, for the next due time.
    const Rows rows = TRY(session_.query(
        "SELECT " + deliveryHeaderColumns().list() + ", " + deliveryEventColumns().list() +
            ", template, status, due_at, attempt_count, round_attempts FROM deliveries "
            "WHERE webhook_id = ? AND due_at IS NOT NULL ORDER BY due_at, number LIMIT ?",
        {webhook->id, room + 1}));
    state.due.reset();
    std::int64_t taken = 0;
    for (const Row& row : rows) {
      if (taken == room || row.time("due_at") > scheduled_now_) {
        state.due = row.time("due_at");
        break;
      }
      ++taken;
      ClaimedDelivery claimed = TRY(claim(row, webhook));
      cycle.claimed.push_back(std::move(claimed));
    }
    state.full = state.full && taken == room;
    return {};
  }

  Result<ClaimedDelivery> claim(const Row& row, std::shared_ptr<const Webhook> webhook) {
    ClaimedDelivery claimed;
    static_cast<DeliveryHeader&>(claimed) = deliveryHeaderColumns().read(row);
    claimed.event = deliveryEventColumns().read(row);
    claimed.attempt = row.integer("attempt_count") + 1;
    claimed.round_attempt = row.integer("round_attempts") + 1;
    claimed.webhook = std::move(webhook);
    std::shared_ptr<const std::string> payload = TRY(payloadOf(row.text("template")));
    claimed.payload = std::move(payload);
    if (row.text("status") == textOf(DeliveryStatus::kInFlight)) {
      TRY(recordLostAttempt(row));
    }
    TRY(session_.execute(
        "UPDATE deliveries SET status = ?, due_at = ?, worker = ?, attempt_count = ?, "
        "round_attempts = ? WHERE number = ?",
        {textOf(DeliveryStatus::kInFlight), scheduled_now_ + DeliveryStore::kLease, worker_,
         claimed.attempt, claimed.round_attempt, claimed.number}));
    return claimed;
  }

  /// Records an attempt whose worker did not report an outcome.
  Result<void> recordLostAttempt(const Row& row) {
    DeliveryAttempt attempt;
    attempt.id = newPrefixedId("att_", now_);
    attempt.number = row.integer("attempt_count");
    attempt.started_at = clocks_.shown(row.time("due_at")) - DeliveryStore::kLease;
    attempt.error =
        DeliveryError{"interrupted", "The server stopped before the outcome was known."};
    return insertAttempt(session_, row.integer("number"), attempt);
  }

  Result<void> cancelDueDeliveries(const WebhookQuota& share, DeliveryCycle& cycle) {
    cycle.backlogs.push_back({share.webhook_id, std::nullopt, false});
    // Also cancels deliveries whose lease has expired.
    TRY(session_.execute(
        "UPDATE deliveries SET status = ?, due_at = NULL, worker = NULL, finished_at = ?, "
        "error_code = ?, error_message = ? WHERE webhook_id = ? AND due_at <= ?",
        {textOf(DeliveryStatus::kCancelled), now_, "webhook_disabled",
         "The webhook is disabled or deleted.", share.webhook_id, scheduled_now_}));
    return {};
  }

  Result<std::shared_ptr<const std::string>> payloadOf(const std::string& digest) {
    const auto known = payloads_.find(digest);
    if (known != payloads_.end()) return known->second;
    const std::optional<Row> row =
        TRY(session_.queryOne("SELECT text FROM payload_templates WHERE digest = ?", {digest}));
    if (!row.has_value()) return Error::internal("a delivery without its template");
    auto text = std::make_shared<const std::string>(row->text("text"));
    payloads_.emplace(digest, text);
    return text;
  }

  Session& session_;
  const std::string& worker_;
  const Clocks& clocks_;
  const Timestamp now_;
  const Timestamp scheduled_now_;
  std::map<std::string, std::shared_ptr<const std::string>> payloads_;
};

}  // namespace

Result<DeliveryCycle> DeliveryStore::cycle(const AutomationSnapshot& known,
                                           const std::vector<AttemptReport>& reports,
                                           const Plan& plan) {
  Result<DeliveryCycle> done = database_.write([&](Session& session) -> Result<DeliveryCycle> {
    DeliveryCycle cycle;
    OutcomeWriter outcome_writer(session, clocks_);
    for (const AttemptReport& report : reports) {
      TRY(outcome_writer.add(report));
      ++cycle.changed[report.team_id];
    }
    DispatchResult dispatched = TRY(dispatchEvents(session, known, policy_, clocks_));
    cycle.automations = std::move(dispatched.automations);
    cycle.more_events = dispatched.more;
    Claims claims(session, worker_, clocks_);
    for (const WebhookQuota& share : plan(clocks_.schedule.now(), dispatched.webhooks)) {
      const auto fresh =
          std::find(dispatched.webhooks.begin(), dispatched.webhooks.end(), share.webhook_id);
      TRY(claims.take(share, fresh != dispatched.webhooks.end(), cycle));
    }
    return cycle;
  });
  if (done) announce(done->changed);
  return done;
}

Result<void> DeliveryStore::storeOutcomes(const std::vector<AttemptReport>& reports) {
  std::map<std::string, std::int64_t> changed;
  for (const AttemptReport& report : reports) ++changed[report.team_id];
  Result<void> done = database_.write([&](Session& session) -> Result<void> {
    OutcomeWriter outcome_writer(session, clocks_);
    for (const AttemptReport& report : reports) TRY(outcome_writer.add(report));
    return {};
  });
  if (done) announce(changed);
  return done;
}

void DeliveryStore::announce(const std::map<std::string, std::int64_t>& changed) {
  if (changes_ == nullptr) return;
  for (const auto& [team_id, count] : changed) {
    changes_->publish(live::Topic::kDeliveries, team_id, count, clocks_.wall.now());
  }
}

Result<std::int64_t> DeliveryStore::releaseOwn() {
  const Timestamp now = clocks_.schedule.now();
  return database_.write([&](Session& session) {
    return session.execute(
        "UPDATE deliveries SET due_at = ? WHERE due_at IS NOT NULL AND worker = ? AND status = ?",
        {now, worker_, textOf(DeliveryStatus::kInFlight)});
  });
}

Result<std::int64_t> DeliveryStore::releaseOthers() {
  const Timestamp now = clocks_.schedule.now();
  return database_.write([&](Session& session) {
    return session.execute(
        "UPDATE deliveries SET due_at = ? WHERE due_at IS NOT NULL AND worker <> ? AND status = ?",
        {now, worker_, textOf(DeliveryStatus::kInFlight)});
  });
}

Result<std::vector<DeliveryCycle::WebhookBacklog>> DeliveryStore::waiting() {
  return database_.read([](Session& session) {
    return collectRows(
        session.query(
            "SELECT webhook_id, min(due_at) AS due FROM deliveries WHERE due_at IS NOT NULL "
            "GROUP BY webhook_id"),
        [](const Row& row) {
          return DeliveryCycle::WebhookBacklog{row.text("webhook_id"), row.time("due"), false};
        });
  });
}

}  // namespace spindle::automation
