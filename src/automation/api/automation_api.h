#pragma once

#include "http/router/route.h"

namespace spindle::http {
class RateLimiter;
class Router;
}  // namespace spindle::http

namespace spindle::identity {
class Access;
}

namespace spindle::registry {
class RegistryAccess;
}

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

/// Adds the routes /api/v1/teams/{team}/secrets and /webhooks, /automations and /payload-presets,
/// /deliveries and /events.
void addAutomationRoutes(http::Router& router,
                         const AutomationServices& services,
                         const http::RoutePolicy& policy);

// Parts of addAutomationRoutes(), one file each:
void addSecretRoutes(http::Router& router,
                     const AutomationServices& services,
                     const http::RoutePolicy& policy);
void addWebhookRoutes(http::Router& router,
                      const AutomationServices& services,
                      const http::RoutePolicy& policy);
void addProbeRoutes(http::Router& router,
                    const AutomationServices& services,
                    const http::RoutePolicy& policy);
void addDeliveryRoutes(http::Router& router,
                       const AutomationServices& services,
                       const http::RoutePolicy& policy);
void addEventRoutes(http::Router& router,
                    const AutomationServices& services,
                    const http::RoutePolicy& policy);

}  // namespace spindle::automation
