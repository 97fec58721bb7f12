#include "app/automation_stack.h"

#include <string>

#include "app/version.h"
#include "base/log.h"

namespace spindle::app {
namespace {

constexpr Logger kLog("app");
constexpr std::int64_t kTestsPerMinute = 10;

bool listensOnLoopback(const config::ServerSettings& server) {
  const std::string& host = server.listen.host;
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

automation::TargetOptions targetOptions(const config::Settings& settings) {
  const config::WebhookSettings& webhooks = settings.webhooks;
  automation::TargetOptions options;
  options.allow_private = webhooks.allow_private == config::PrivateTargets::kAlways ||
                          (webhooks.allow_private == config::PrivateTargets::kAuto &&
                           listensOnLoopback(settings.server));
  options.allow_http = webhooks.allow_http;
  options.allow_hosts = webhooks.allow_hosts;
  options.allow_cidrs = webhooks.allow_cidrs;
  return options;
}

http::ClientOptions clientOptions(const config::WebhookSettings& settings) {
  http::ClientOptions options;
  options.ca_file = settings.ca_file.string();
  return options;
}

}  // namespace

AutomationStack::AutomationStack(const config::Settings& settings,
                                 IdentityStack& identity,
                                 const Clock& clock)
    : identity_(identity),
      secrets_(*identity.database, clock, identity.key_ring.derive("webhook-secrets")),
      webhooks_(*identity.database, clock),
      automations_(*identity.database, clock, settings.limits.automations),
      http_client_(clientOptions(settings.webhooks)),
      client_(http_client_, automation::TargetRules(targetOptions(settings))),
      probe_(secrets_, client_, clock, std::string(version())),
      probe_limiter_(kTestsPerMinute, clock),
      service_(automations_, webhooks_, identity.access, clock) {}

automation::AutomationServices AutomationStack::services() {
  return {secrets_, webhooks_, client_, probe_, probe_limiter_, service_, identity_.access};
}

void AutomationStack::keepHouse() {
  const Result<std::int64_t> forgotten = secrets_.forgetRotated();
  if (!forgotten) kLog.warning("old_secrets_kept", {{"reason", forgotten.error().message()}});
}

}  // namespace spindle::app
