#pragma once

#include "app/wiring/identity_stack.h"
#include "app/wiring/registry_stack.h"
#include "automation/api/automation_api.h"
#include "automation/api/automation_service.h"
#include "automation/api/delivery_service.h"
#include "automation/api/event_service.h"
#include "automation/api/scope_repository.h"
#include "automation/deliveries/delivery_engine.h"
#include "automation/deliveries/delivery_repository.h"
#include "automation/deliveries/delivery_statistics.h"
#include "automation/deliveries/delivery_store.h"
#include "automation/rules/automation_repository.h"
#include "automation/rules/run_metric_evaluator.h"
#include "automation/rules/scope_access.h"
#include "automation/rules/trace_metric_evaluator.h"
#include "automation/webhooks/secret_store.h"
#include "automation/webhooks/webhook_client.h"
#include "automation/webhooks/webhook_probe.h"
#include "automation/webhooks/webhook_repository.h"
#include "base/core/schedule_clock.h"
#include "http/client/client.h"
#include "http/router/rate_limiter.h"

namespace spindle::app {

class LocalUse;

/// Secrets, webhooks, automations and their deliveries. Members are constructed in this order and
/// destroyed in reverse; the stacks passed to the constructor must outlive this object.
class AutomationStack {
 public:
  /// @throws std::runtime_error with a message for the operator.
  AutomationStack(const StackContext& context,
                  IdentityStack& identity,
                  RegistryStack& registry,
                  const LocalUse& local_use,
                  automation::TraceMeasure trace_measure);

  automation::AutomationServices services();
  /// Returns the watch that checks every logged metric of a run.
  runs::MetricObserver& metricWatch() { return metric_watch_; }
  /// Starts to send deliveries.
  void start();
  /// Stops the running deliveries.
  void stop();
  /// Evaluates trace metrics, and deletes rotated values of secrets, old deliveries and old events.
  void runMaintenance();

 private:
  void deleteOldDeliveries();

  IdentityStack& identity_;
  RegistryStack& registry_;
  const Clock& clock_;
  automation::ScopeAccess scopes_;
  automation::SecretStore secrets_;
  automation::WebhookRepository webhooks_;
  automation::AutomationRepository automations_;
  http::Client http_client_;
  automation::WebhookClient client_;
  automation::WebhookProbe probe_;
  http::RateLimiter probe_limiter_;
  automation::AutomationService service_;
  automation::DeliveryRepository deliveries_;
  automation::DeliveryStatistics delivery_statistics_;
  automation::DeliveryStore delivery_store_;
  automation::DeliveryEngine engine_;
  automation::ScopeRepository places_;
  automation::DeliveryService delivery_service_;
  automation::EventService event_service_;
  automation::RunMetricEvaluator metric_watch_;
  automation::TraceMetricEvaluator trace_watch_;
};

}  // namespace spindle::app
