#pragma once

#include "http/router/forward.h"
#include "http/router/rate_limiter.h"
#include "http/router/route.h"
#include "identity/access/access.h"
#include "registry/repositories/registry_access.h"

namespace spindle::automation {

class AutomationService;
class DeliveryService;
class EventService;
class SecretStore;
class WebhookClient;
class WebhookProbe;
class WebhookRepository;

/// The services that the routes use. All must outlive the router.
struct AutomationServices {
  SecretStore& secrets;
  WebhookRepository& webhooks;
  const WebhookClient& client;
  WebhookProbe& probe;
  http::RateLimiter& probe_limiter;  ///< test deliveries per team
  AutomationService& automations;
  DeliveryService& deliveries;
  EventService& events;
  identity::Access& access;
  registry::RegistryAccess& registries;
};

using AutomationRoutes = http::RouteGroup<AutomationServices>;

/// Adds the routes /api/v1/teams/{team}/secrets and /webhooks, /automations and /payload-presets,
/// /deliveries and /events.
void addAutomationRoutes(AutomationRoutes routes);

// Parts of addAutomationRoutes(), one file each:
void addSecretRoutes(AutomationRoutes routes);
void addWebhookRoutes(AutomationRoutes routes);
void addProbeRoutes(AutomationRoutes routes);
void addDeliveryRoutes(AutomationRoutes routes);
void addDeliveryStatisticsRoutes(AutomationRoutes routes);
void addEventRoutes(AutomationRoutes routes);
void addPreviewRoutes(AutomationRoutes routes);

}  // namespace spindle::automation
