#include "app/server/route_policies.h"

namespace spindle::app {
namespace {

http::RoutePolicy policyOf(const config::Settings& settings, http::ErrorShape errors) {
  http::RoutePolicy policy;
  policy.errors = errors;
  policy.body_limit = settings.limits.body;
  policy.json_depth = static_cast<std::size_t>(settings.limits.json_depth);
  return policy;
}

http::RoutePolicy bearerPolicy(const config::Settings& settings, http::ErrorShape errors) {
  http::RoutePolicy policy = policyOf(settings, errors);
  policy.credentials = http::Credentials::kBearer;
  return policy;
}

}  // namespace

http::RoutePolicy managementPolicy(const config::Settings& settings) {
  http::RoutePolicy policy = policyOf(settings, http::ErrorShape::kDetailWithCode);
  policy.body_limit = settings.limits.management_body;
  policy.json_type_required = true;
  policy.idempotent_posts = true;
  return policy;
}

http::RoutePolicy tracingPolicy(const config::Settings& settings) {
  return policyOf(settings, http::ErrorShape::kReason);
}

http::RoutePolicy inferencePolicy(const config::Settings& settings) {
  return bearerPolicy(settings, http::ErrorShape::kOpenAi);
}

http::RoutePolicy trainingPolicy(const config::Settings& settings) {
  return bearerPolicy(settings, http::ErrorShape::kDetail);
}

}  // namespace spindle::app
