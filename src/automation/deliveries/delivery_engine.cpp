#include "automation/deliveries/delivery_engine.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "automation/payloads/header_json.h"
#include "automation/payloads/outbound_headers.h"
#include "automation/rules/event_facts.h"
#include "base/core/log.h"
#include "base/crypto/crypto.h"
#include "events/outbox.h"

namespace spindle::automation {
namespace {

using std::chrono::milliseconds;

constexpr Logger kLog("automation");
constexpr milliseconds kRetryDelay{1000};
constexpr std::chrono::seconds kThrottle{60};
constexpr milliseconds kOutcomeDelay{20};

Attempt failure(const Error& error) {
  Attempt attempt;
  attempt.error_code = error.reason().empty() ? "unavailable" : error.reason();
  attempt.error_message = error.message();
  return attempt;
}

}  // namespace

/// Queue in which the client's I/O thread stores the outcomes of requests. A request can end after
/// the engine, so the queue wakes the outbox only until close().
class DeliveryEngine::OutcomeQueue {
 public:
  explicit OutcomeQueue(events::Outbox& outbox) : outbox_(&outbox) {}

  void put(FinishedAttempt finished) {
    const MutexLock lock(mutex_);
    finished_.push_back(std::move(finished));
    ++wakes_;
    if (outbox_ != nullptr) outbox_->wake();
  }
  void close() {
    const MutexLock lock(mutex_);
    outbox_ = nullptr;
  }
  /// Returns the webhooks of the queued outcomes.
  std::vector<std::string> webhooks() {
    const MutexLock lock(mutex_);
    std::vector<std::string> ids;
    for (const FinishedAttempt& finished : finished_) ids.push_back(finished.report.webhook_id);
    return ids;
  }
  /// Returns how often outcomes woke the outbox.
  std::uint64_t wakes() {
    const MutexLock lock(mutex_);
    return wakes_;
  }
  void check(const std::string& webhook_id) {
    const MutexLock lock(mutex_);
    due_webhooks_.push_back(webhook_id);
    if (outbox_ != nullptr) outbox_->wake();
  }
  std::vector<FinishedAttempt> takeFinished() {
    const MutexLock lock(mutex_);
    return std::exchange(finished_, {});
  }
  std::vector<std::string> takeDueWebhooks() {
    const MutexLock lock(mutex_);
    return std::exchange(due_webhooks_, {});
  }

 private:
  Mutex mutex_;
  events::Outbox* outbox_ SPINDLE_GUARDED_BY(mutex_);  ///< null after close()
  std::vector<FinishedAttempt> finished_ SPINDLE_GUARDED_BY(mutex_);
  std::uint64_t wakes_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::vector<std::string> due_webhooks_ SPINDLE_GUARDED_BY(mutex_);
};

DeliveryEngine::DeliveryEngine(const Ports& ports, DeliveryEngineOptions options)
    : ports_(ports),
      options_(std::move(options)),
      outcomes_(std::make_shared<OutcomeQueue>(ports.outbox)),
      succeeded_(ports.metrics.counter("spindle_webhook_attempts_total",
                                       "Requests to endpoints of webhooks.",
                                       {{"outcome", "succeeded"}})),
      failed_(ports.metrics.counter("spindle_webhook_attempts_total",
                                    "Requests to endpoints of webhooks.",
                                    {{"outcome", "failed"}})),
      in_flight_(ports.metrics.gauge("spindle_webhook_requests_in_flight",
                                     "Running requests to endpoints of webhooks.")),
      quotas_(options_.concurrency) {}

DeliveryEngine::~DeliveryEngine() {
  stop();
  outcomes_->close();
}

void DeliveryEngine::start() {
  worker_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void DeliveryEngine::stop(milliseconds deadline) {
  if (!worker_.joinable()) return;
  worker_.request_stop();
  ports_.outbox.wake();
  worker_.join();
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (quotas_.inFlight() > 0) {
    const std::uint64_t seen = ports_.outbox.signals();
    if (isSender()) {
      runCycle(false);
    } else {
      storeOutcomes();
    }
    const auto left =
        std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
    if (quotas_.inFlight() == 0 || left.count() <= 0) break;
    ports_.outbox.wait(seen, left);
  }
  if (const Result<std::int64_t> released = ports_.store.releaseOwn(); !released) {
    kLog.warning("deliveries_not_released", {{"reason", released.error().message()}});
  }
}

void DeliveryEngine::check(const std::string& webhook_id) { outcomes_->check(webhook_id); }

void DeliveryEngine::runForTest() {
  loadBacklogs();
  while (true) {
    const std::uint64_t seen = ports_.outbox.signals();
    const std::optional<milliseconds> next = runCycle(true);
    if (next && next->count() == 0) continue;
    if (quotas_.inFlight() == 0 && unsaved_reports_.empty()) return;
    ports_.outbox.wait(seen, std::chrono::minutes(1));
  }
}

void DeliveryEngine::loadBacklogs() {
  const Result<std::vector<DeliveryCycle::WebhookBacklog>> waiting = ports_.store.waiting();
  if (!waiting) {
    kLog.warning("deliveries_not_read", {{"reason", waiting.error().message()}});
    return;
  }
  for (const DeliveryCycle::WebhookBacklog& backlog : *waiting) {
    if (backlog.due) quotas_.dueAtLatest(backlog.webhook_id, *backlog.due);
  }
}

void DeliveryEngine::takeOver() {
  if (!ports_.is_sender) return;
  if (const Result<std::int64_t> released = ports_.store.releaseOthers(); !released) {
    kLog.warning("deliveries_not_released", {{"reason", released.error().message()}});
  }
}

void DeliveryEngine::storeOutcomes() {
  for (AttemptReport& report : evaluateOutcomes(outcomes_->takeFinished())) {
    unsaved_reports_.push_back(std::move(report));
  }
  if (unsaved_reports_.empty()) return;
  if (const Result<void> stored = ports_.store.storeOutcomes(unsaved_reports_); !stored) {
    kLog.warning("outcomes_not_stored", {{"reason", stored.error().message()}});
    return;
  }
  unsaved_reports_.clear();
}

void DeliveryEngine::run(const std::stop_token& stop) {
  if (const Result<std::int64_t> released = ports_.store.releaseOwn(); !released) {
    kLog.warning("deliveries_not_released", {{"reason", released.error().message()}});
  }
  auto polled = std::chrono::steady_clock::time_point::min();
  bool was_sender = false;
  while (!stop.stop_requested()) {
    const std::uint64_t seen = ports_.outbox.signals();
    const std::uint64_t wakes = outcomes_->wakes();
    milliseconds wait = options_.poll;
    try {
      const bool sender = isSender();
      if (sender && !was_sender) {
        takeOver();
        polled = std::chrono::steady_clock::time_point::min();
      }
      was_sender = sender;
      if (!sender) {
        storeOutcomes();
        waitForSignals(seen, wakes, wait);
        continue;
      }
      const auto now = std::chrono::steady_clock::now();
      if (polled + options_.poll <= now || polled == std::chrono::steady_clock::time_point::min()) {
        polled = now;
        loadBacklogs();
      }
      wait = std::min(wait, runCycle(true).value_or(wait));
    } catch (const std::exception& e) {
      kLog.error("delivery_failed", {{"reason", e.what()}});
      wait = kRetryDelay;
    }
    if (wait.count() > 0) waitForSignals(seen, wakes, wait);
  }
}

void DeliveryEngine::waitForSignals(std::uint64_t seen, std::uint64_t wakes, milliseconds limit) {
  if (!ports_.outbox.wait(seen, limit)) return;
  const auto end = std::chrono::steady_clock::now() + kOutcomeDelay;
  const auto is_awaited = [&](const std::string& webhook_id) {
    return quotas_.isAwaited(webhook_id, ports_.clocks.schedule.now());
  };
  while (true) {
    const std::uint64_t signals = ports_.outbox.signals();
    const std::vector<std::string> webhooks = outcomes_->webhooks();
    if (std::any_of(webhooks.begin(), webhooks.end(), is_awaited)) return;
    const auto left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now());
    const bool only_outcomes = signals - seen == outcomes_->wakes() - wakes;
    if (!only_outcomes || left.count() <= 0) return;
    ports_.outbox.wait(signals, left);
  }
}

std::vector<AttemptReport> DeliveryEngine::evaluateOutcomes(std::vector<FinishedAttempt> finished) {
  const Timestamp now = ports_.clocks.schedule.now();
  const Timestamp wall_now = ports_.clocks.wall.now();
  std::uniform_real_distribution<double> chance(0, 1);
  std::vector<AttemptReport> reports;
  reports.reserve(finished.size());
  for (FinishedAttempt& one : finished) {
    AttemptReport& report = one.report;
    report.decision = decideRetry(ports_.store.policy(), one.round_attempt, report.outcome,
                                  wall_now, chance(random_));
    // Dates of an endpoint refer to the wall clock; due times use the schedule clock.
    if (report.decision.next_attempt_at) *report.decision.next_attempt_at += now - wall_now;
    quotas_.ended(report.webhook_id);
    if (report.decision.throttle) quotas_.throttle(report.webhook_id, now + kThrottle);
    if (report.decision.next_attempt_at) {
      quotas_.dueAtLatest(report.webhook_id, *report.decision.next_attempt_at);
    }
    (report.outcome.succeeded() ? succeeded_ : failed_).add();
    reports.push_back(std::move(report));
  }
  return reports;
}

std::optional<milliseconds> DeliveryEngine::runCycle(bool claims) {
  for (const std::string& webhook_id : outcomes_->takeDueWebhooks()) {
    quotas_.dueAtLatest(webhook_id, ports_.clocks.schedule.now());
  }
  for (AttemptReport& report : evaluateOutcomes(outcomes_->takeFinished())) {
    unsaved_reports_.push_back(std::move(report));
  }
  const DeliveryStore::Plan plan = [&](Timestamp now, const std::vector<std::string>& fresh) {
    return claims ? quotas_.plan(now, fresh) : std::vector<WebhookQuota>();
  };
  Result<DeliveryCycle> cycle = ports_.store.cycle(automations_, unsaved_reports_, plan);
  if (!cycle) {
    kLog.warning("deliveries_wait", {{"reason", cycle.error().message()}});
    return kRetryDelay;
  }
  unsaved_reports_.clear();
  automations_ = std::move(cycle->automations);
  for (const DeliveryCycle::WebhookBacklog& backlog : cycle->backlogs) {
    quotas_.due(backlog.webhook_id, backlog.due);
    if (backlog.full) quotas_.full(backlog.webhook_id);
  }
  Secrets secrets;
  for (const ClaimedDelivery& delivery : cycle->claimed) {
    quotas_.started(delivery.webhook->id);
    send(delivery, secrets);
  }
  in_flight_.set(quotas_.inFlight());
  if (cycle->more_events) return milliseconds(0);
  const std::optional<Timestamp> next = quotas_.nextDue();
  if (!next) return std::nullopt;
  const auto left = std::chrono::ceil<milliseconds>(*next - ports_.clocks.schedule.now());
  return std::max(left, milliseconds(0));
}

const Result<std::shared_ptr<const Credentials>>& DeliveryEngine::credentialsOf(
    const Webhook& webhook, Secrets& secrets) {
  const auto known = secrets.find(webhook.id);
  if (known != secrets.end()) return known->second;
  Result<Credentials> resolved =
      webhook.access_token_ref || webhook.secret_ref
          ? ports_.secrets.resolve(webhook.team_id, webhook.access_token_ref, webhook.secret_ref)
          : Result<Credentials>(Credentials());
  Result<std::shared_ptr<const Credentials>> shared =
      resolved ? Result<std::shared_ptr<const Credentials>>(
                     std::make_shared<const Credentials>(*std::move(resolved)))
               : Result<std::shared_ptr<const Credentials>>(resolved.error());
  return secrets.emplace(webhook.id, std::move(shared)).first->second;
}

void DeliveryEngine::send(const ClaimedDelivery& delivery, Secrets& secrets) {
  const Webhook& webhook = *delivery.webhook;
  FinishedAttempt finished;
  finished.round_attempt = delivery.round_attempt;
  AttemptReport& report = finished.report;
  report.delivery = delivery.number;
  report.attempt = delivery.attempt;
  report.webhook_id = webhook.id;
  report.team_id = webhook.team_id;
  report.started_at = ports_.clocks.wall.now();
  const auto give_up = [&](const Error& error) {
    report.outcome = failure(error);
    outcomes_->put(std::move(finished));
  };
  const Result<std::shared_ptr<const Credentials>>& resolved = credentialsOf(webhook, secrets);
  if (!resolved) return give_up(resolved.error());
  const Credentials& credentials = **resolved;
  EventFacts facts = factsOf(delivery.event);
  facts.payload.variables.insert_or_assign("automation_name", delivery.automation_name);
  Result<std::string> body = renderPayload(*delivery.payload, facts.payload, credentials);
  if (!body) return give_up(body.error());
  Result<std::string> shown = renderPayload(*delivery.payload, facts.payload, credentials.masked());
  if (!shown) return give_up(shown.error());

  OutboundFacts outbound;
  outbound.delivery_id = delivery.id;
  outbound.sent_at = report.started_at;
  outbound.attempt = static_cast<int>(delivery.attempt);
  outbound.event_type = events::textOf(delivery.event.type);
  outbound.automation_id = delivery.automation_id;
  OutboundRequest request;
  request.url = webhook.url_endpoint;
  request.headers = outboundHeaders(outbound, *body, credentials, options_.version);
  request.body = *std::move(body);
  report.request = SentRequest{request.url, headersText(redacted(request.headers)),
                               *std::move(shown), toHex(sha256(request.body))};
  ports_.client.post(request, [outcomes = outcomes_, kept = *resolved,
                               finished = std::move(finished)](Attempt outcome) mutable {
    maskResponse(outcome, *kept);
    finished.report.outcome = std::move(outcome);
    outcomes->put(std::move(finished));
  });
}

}  // namespace spindle::automation
