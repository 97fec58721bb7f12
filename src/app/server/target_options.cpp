#include "app/server/target_options.h"

#include "app/server/local_use.h"

namespace spindle::app {

http::EgressOptions targetOptions(const config::Settings& settings, const LocalUse& local_use) {
  const config::WebhookSettings& webhooks = settings.webhooks;
  http::EgressOptions options;
  options.allow_private = webhooks.allow_private != config::PrivateTargets::kNever;
  if (webhooks.allow_private == config::PrivateTargets::kAuto) {
    options.private_condition = [&local_use] { return local_use.holds(); };
  }
  options.allow_http = webhooks.allow_http;
  options.allow_hosts = webhooks.allow_hosts;
  options.allow_cidrs = webhooks.allow_cidrs;
  return options;
}

}  // namespace spindle::app
