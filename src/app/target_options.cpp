#include "app/target_options.h"

namespace spindle::app {
namespace {

bool listensOnLoopback(const config::ServerSettings& server) {
  const std::string& host = server.listen.host;
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace

http::TargetOptions targetOptions(const config::Settings& settings) {
  const config::WebhookSettings& webhooks = settings.webhooks;
  http::TargetOptions options;
  options.allow_private = webhooks.allow_private == config::PrivateTargets::kAlways ||
                          (webhooks.allow_private == config::PrivateTargets::kAuto &&
                           listensOnLoopback(settings.server));
  options.allow_http = webhooks.allow_http;
  options.allow_hosts = webhooks.allow_hosts;
  options.allow_cidrs = webhooks.allow_cidrs;
  return options;
}

}  // namespace spindle::app
