#include "inference/routes/inference_api.h"

#include "identity/access/access.h"

namespace spindle::inference {

void addInferenceRoutes(http::Router& router,
                        const InferenceServices& services,
                        const http::RoutePolicy& policy) {
  addModelRoutes(router, services, policy);
  addUpstreamRoutes(router, services, policy);
  addLimitRoutes(router, services, policy);
  addUsageRoutes(router, services, policy);
}

Result<void> requireAdmin(const InferenceServices& services, std::string_view user_id) {
  if (!TRY(services.access.isOrganizationAdmin(user_id)))
    return Error::denied("You are not allowed to do this.");
  return {};
}

}  // namespace spindle::inference
