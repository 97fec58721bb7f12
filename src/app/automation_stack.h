#pragma once

#include "app/identity_stack.h"
#include "automation/automation_api.h"
#include "automation/automation_repository.h"
#include "automation/automation_service.h"
#include "automation/secret_store.h"
#include "automation/webhook_client.h"
#include "automation/webhook_probe.h"
#include "automation/webhook_repository.h"
#include "base/time.h"
#include "config/settings.h"
#include "http/client.h"
#include "http/rate_limiter.h"

namespace spindle::app {

/// Secrets, webhooks and automations. Members are built in this order and destroyed in the reverse;
/// the stack below must outlive it.
class AutomationStack {
 public:
  /// @throws std::runtime_error with a message for the operator.
  AutomationStack(const config::Settings& settings, IdentityStack& identity, const Clock& clock);

  automation::AutomationServices services();
  /// Forgets old values of secrets whose time is over.
  void keepHouse();

 private:
  IdentityStack& identity_;
  automation::SecretStore secrets_;
  automation::WebhookRepository webhooks_;
  automation::AutomationRepository automations_;
  http::Client http_client_;
  automation::WebhookClient client_;
  automation::WebhookProbe probe_;
  http::RateLimiter probe_limiter_;
  automation::AutomationService service_;
};

}  // namespace spindle::app
