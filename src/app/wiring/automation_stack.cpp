#include "app/wiring/automation_stack.h"

#include <string>
#include <utility>

#include "app/nodes/shared_rate.h"
#include "app/server/target_options.h"
#include "app/server/version.h"
#include "app/wiring/log.h"

namespace spindle::app {
namespace {

constexpr std::int64_t kTestsPerMinute = 10;
constexpr std::chrono::hours kEventRetention{24 * 30};
/// Shorter than the five seconds after which common servers close an idle connection.
constexpr std::chrono::milliseconds kIdle{4000};

http::ClientOptions webhookClientOptions(const config::WebhookSettings& settings) {
  http::ClientOptions options;
  options.ca_file = settings.ca_file.string();
  options.idle_timeout = kIdle;
  options.connections_per_origin = static_cast<std::size_t>(settings.concurrency) + kTestsPerMinute;
  options.idle_connections_per_origin = static_cast<std::size_t>(settings.concurrency);
  return options;
}

automation::DeliveryPolicy deliveryPolicy(const config::WebhookSettings& settings) {
  automation::DeliveryPolicy policy;
  policy.retry_delays = settings.retry_delays;
  policy.jitter = settings.retry_jitter;
  policy.per_minute = settings.deliveries_per_minute;
  return policy;
}

automation::DeliveryEngineOptions engineOptions(const config::Settings& settings) {
  automation::DeliveryEngineOptions options;
  options.concurrency = static_cast<int>(settings.webhooks.concurrency);
  if (settings.storage.usesPostgres()) options.poll = kSharedPoll;
  options.version = version();
  return options;
}

}  // namespace

AutomationStack::AutomationStack(const StackContext& context,
                                 IdentityStack& identity,
                                 RegistryStack& registry,
                                 const LocalUse& local_use,
                                 automation::TraceMeasure trace_measure)
    : identity_(identity),
      registry_(registry),
      clock_(context.clock),
      scopes_({identity.access, registry.registry_access, registry.collections}),
      secrets_(*identity.database, clock_, identity.key_ring.derive("webhook-secrets")),
      webhooks_(*identity.database, clock_),
      automations_(*identity.database, clock_, context.settings.limits.automations),
      http_client_(webhookClientOptions(context.settings.webhooks)),
      client_(http_client_,
              http::EgressPolicy(targetOptions(context.settings, local_use)),
              context.settings.webhooks.timeout),
      probe_(secrets_, client_, clock_, std::string(version())),
      probe_limiter_(kTestsPerMinute,
                     identity.schedule,
                     sharedRateOf(identity.sharedRates(), "webhook-tests")),
      service_(automations_, webhooks_, identity.access, scopes_, clock_),
      deliveries_(*identity.database, {clock_, identity.schedule}, &identity.changes),
      delivery_statistics_(*identity.database),
      delivery_store_(*identity.database,
                      {clock_, identity.schedule},
                      deliveryPolicy(context.settings.webhooks),
                      identity.membership.id(),
                      &identity.changes),
      engine_({delivery_store_,
               secrets_,
               client_,
               registry.outbox,
               {clock_, identity.schedule},
               context.metrics,
               [&membership = identity.membership] { return membership.owns(kDeliveryTask); }},
              engineOptions(context.settings)),
      places_(*identity.database),
      delivery_service_(
          {deliveries_, delivery_statistics_, automations_, webhooks_, identity.access,
           [this](const std::string& webhook_id) { engine_.check(webhook_id); }, clock_},
          scopes_),
      event_service_(registry.outbox, deliveries_, places_, scopes_),
      metric_watch_(*identity.database, registry.outbox),
      trace_watch_(*identity.database, registry.outbox, std::move(trace_measure), clock_) {}

automation::AutomationServices AutomationStack::services() {
  return {secrets_, webhooks_,         client_,        probe_,           probe_limiter_,
          service_, delivery_service_, event_service_, identity_.access, registry_.registry_access};
}

void AutomationStack::start() { engine_.start(); }

void AutomationStack::stop() { engine_.stop(); }

void AutomationStack::runMaintenance() {
  logFailure(trace_watch_.check(), "traces_not_watched");
  logFailure(secrets_.deleteRotated(), "old_secrets_kept");
  deleteOldDeliveries();
}

void AutomationStack::deleteOldDeliveries() {
  Result<bool> more = true;
  while (more && *more) more = deliveries_.deleteExpired();
  logFailure(more, "old_deliveries_kept");
  const Result<std::int64_t> position = deliveries_.dispatched();
  Result<std::int64_t> forgotten = position;
  const Timestamp now = Clocks(clock_, identity_.schedule).earlier();
  while (forgotten && *forgotten > 0) {
    forgotten = registry_.outbox.removeOlderThan(now - kEventRetention, *position);
  }
  logFailure(forgotten, "old_events_kept");
}

}  // namespace spindle::app
