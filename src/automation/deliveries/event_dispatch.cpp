#include "automation/deliveries/event_dispatch.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "automation/rules/automation_rows.h"
#include "automation/rules/delivery_rows.h"
#include "automation/webhooks/webhook.h"
#include "base/crypto/id.h"
#include "events/outbox.h"

namespace spindle::automation {
namespace {

using events::Event;
using storage::Params, storage::Row, storage::Rows, storage::Session, storage::Value;

/// Maximum number of events per transaction.
constexpr int kBatch = 500;
constexpr std::chrono::hours kSilence{24};

/// The initial state of a delivery.
struct InitialState {
  DeliveryStatus status = DeliveryStatus::kPending;
  std::optional<Timestamp> due_at = {};
  std::optional<DeliveryError> error = {};
};

class Dispatcher {
 public:
  Dispatcher(Session& session, const DeliveryPolicy& policy, const Clocks& clocks)
      : session_(session),
        policy_(policy),
        now_(clocks.wall.now()),
        scheduled_now_(clocks.schedule.now()) {}

  Result<DispatchResult> run(const AutomationSnapshot& known) {
    const std::optional<Row> state =
        TRY(session_.queryOne("SELECT dispatched, generation FROM delivery_state WHERE id = 1"));
    const std::int64_t position = state->integer("dispatched");
    const std::int64_t generation = state->integer("generation");
    DispatchResult done;
    done.automations = known;
    if (known.generation != generation) {
      std::vector<EnabledAutomation> enabled = TRY(enabledAutomations(session_));
      done.automations = {generation, std::make_shared<const EventMatcher>(std::move(enabled))};
    }
    const std::vector<Event> events = TRY(events::Outbox::after(session_, position, kBatch));
    if (events.empty()) return done;
    for (const Event& event : events) {
      const EventFacts facts = factsOf(event);
      for (const EnabledAutomation* automation : done.automations.matcher->match(event, facts)) {
        TRY(add(event, facts, *automation));
      }
    }
    TRY(recordExecutions());
    TRY(session_.execute("UPDATE delivery_state SET dispatched = ? WHERE id = 1",
                         {events.back().position}));
    done.webhooks.assign(webhooks_.begin(), webhooks_.end());
    done.more = events.size() == static_cast<std::size_t>(kBatch);
    return done;
  }

 private:
  Result<void> add(const Event& event,
                   const EventFacts& facts,
                   const EnabledAutomation& automation) {
    if (event.type == EventType::kRunState) {
      if (TRY(isSilent(event, facts, automation))) return {};
    }
    const InitialState initial = TRY(initialStateOf(automation));
    const std::string digest = TRY(templateOf(automation));
    const std::optional<std::string>& webhook_id = automation.action.webhook_id;
    const bool sends = automation.action.type == ActionType::kWebhook;
    // Named variables, because GCC reports conditional values in a list as uninitialised.
    Value webhook;
    Value payload;
    Value finished;
    if (sends) {
      webhook = Value(webhook_id);
      payload = Value(digest);
    }
    if (isFinished(initial.status)) finished = Value(now_);
    ColumnValues row = scopeValues(automation.scope);
    row.add({{"id", newPrefixedId("dlv_", now_)},
             {"event_key", event.change_id.empty() ? event.id : event.change_id},
             {"automation_id", automation.id},
             {"replay", 0},
             {"automation_name", automation.name},
             {"webhook_id", webhook},
             {"template", payload},
             {"status", textOf(initial.status)},
             {"due_at", initial.due_at},
             {"attempt_count", 0},
             {"round_attempts", 0},
             {"created_at", now_},
             {"finished_at", finished}});
    row.add(deliveryEventColumns().of(event)).add(errorValues(initial.error));
    TRY(session_.execute(
        row.insertInto("deliveries") + " ON CONFLICT (event_key, automation_id, replay) DO NOTHING",
        row.values()));
    if (initial.due_at && *initial.due_at <= scheduled_now_) webhooks_.insert(*webhook_id);
    return {};
  }

  Result<InitialState> initialStateOf(const EnabledAutomation& automation) {
    InitialState initial;
    RateBucket* bucket = TRY(bucketOf(automation.id));
    const std::optional<Timestamp> send_at = bucket->take(scheduled_now_);
    if (!send_at) {
      initial.status = DeliveryStatus::kSkipped;
      initial.error = DeliveryError{"rate_limited", "The automation exceeded its rate limit."};
      return initial;
    }
    if (automation.action.type != ActionType::kWebhook) {
      initial.status = DeliveryStatus::kSucceeded;
      return initial;
    }
    const std::optional<bool> active = TRY(isActive(automation.action.webhook_id));
    if (!active || !*active) {
      initial.status = DeliveryStatus::kCancelled;
      initial.error = active ? DeliveryError{"webhook_disabled", "The webhook is disabled."}
                             : DeliveryError{"webhook_removed", "The webhook was deleted."};
      return initial;
    }
    initial.due_at = send_at;
    return initial;
  }

  /// Returns nothing if the webhook does not exist.
  Result<std::optional<bool>> isActive(const std::optional<std::string>& webhook_id) {
    if (!webhook_id) return std::optional<bool>();
    const auto known = active_.find(*webhook_id);
    if (known != active_.end()) return known->second;
    const std::optional<Row> row =
        TRY(session_.queryOne("SELECT status FROM webhooks WHERE id = ?", {*webhook_id}));
    std::optional<bool> active;
    if (row.has_value()) active = row->text("status") == textOf(WebhookStatus::kActive);
    active_.emplace(*webhook_id, active);
    return active;
  }

  Result<RateBucket*> bucketOf(const std::string& automation_id) {
    const auto known = buckets_.find(automation_id);
    if (known != buckets_.end()) return &known->second;
    std::optional<Timestamp> full_at;
    if (policy_.per_minute > 0) {
      const std::optional<Row> row =
          TRY(session_.queryOne("SELECT rate_at FROM automations WHERE id = ?", {automation_id}));
      if (row.has_value()) full_at = row->optionalTime("rate_at");
    }
    return &buckets_.emplace(automation_id, RateBucket(policy_.per_minute, full_at)).first->second;
  }

  /// Stores the automation's template text and returns its digest.
  Result<std::string> templateOf(const EnabledAutomation& automation) {
    if (automation.action.type != ActionType::kWebhook) return std::string();
    const auto known = templates_.find(automation.id);
    if (known != templates_.end()) return known->second;
    Result<std::string> digest = storeTemplate(session_, automation.action, now_);
    if (digest) templates_.emplace(automation.id, *digest);
    return digest;
  }

  /// Returns true if the automation fired for this state of this run in the last 24 hours;
  /// otherwise records that it fires now. A last time in the future means that the clock was set
  /// back: it is ignored.
  Result<bool> isSilent(const Event& event,
                        const EventFacts& facts,
                        const EnabledAutomation& automation) {
    const Timestamp when = event.time + (scheduled_now_ - now_);
    const std::int64_t fired = TRY(session_.execute(
        "INSERT INTO run_silences (automation_id, project_id, run_id, state, fired_at) "
        "SELECT id, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT) "
        "FROM automations WHERE id = ? "
        "ON CONFLICT (project_id, run_id, automation_id, state) DO UPDATE "
        "SET fired_at = excluded.fired_at WHERE run_silences.fired_at <= ? OR "
        "run_silences.fired_at > ?",
        {event.subject.project_id, event.subject.run_id,
         foldedRunState(facts.variable("run_state")), when, automation.id, when - kSilence, when}));
    return fired == 0;
  }

  Result<void> recordExecutions() {
    for (const auto& [automation_id, bucket] : buckets_) {
      TRY(session_.execute("UPDATE automations SET last_executed_at = ?, rate_at = ? WHERE id = ?",
                           {now_, bucket.fullAt(), automation_id}));
    }
    return {};
  }

  Session& session_;
  const DeliveryPolicy& policy_;
  const Timestamp now_;            // for display
  const Timestamp scheduled_now_;  // for due times
  std::set<std::string> webhooks_;
  std::map<std::string, std::string> templates_;  // digests by automation
  std::map<std::string, std::optional<bool>> active_;
  std::map<std::string, RateBucket> buckets_;
};

}  // namespace

Result<DispatchResult> dispatchEvents(Session& session,
                                      const AutomationSnapshot& known,
                                      const DeliveryPolicy& policy,
                                      const Clocks& clocks) {
  return Dispatcher(session, policy, clocks).run(known);
}

Result<void> shiftDeliverySchedule(Session& session, std::chrono::microseconds by) {
  for (const SqlView statement :
       {SqlView("UPDATE deliveries SET due_at = due_at + ? WHERE due_at IS NOT NULL"),
        SqlView("UPDATE automations SET rate_at = rate_at + ? WHERE rate_at IS NOT NULL"),
        SqlView("UPDATE run_silences SET fired_at = fired_at + ?"),
        SqlView("UPDATE webhooks SET first_failure_at = first_failure_at + ? "
                "WHERE first_failure_at IS NOT NULL"),
        SqlView("UPDATE webhooks SET failing_since = failing_since + ? "
                "WHERE failing_since IS NOT NULL")}) {
    TRY(session.execute(statement, {by.count()}));
  }
  return {};
}

}  // namespace spindle::automation
