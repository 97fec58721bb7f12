#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "inference/routes/route_parts.h"

namespace spindle::inference {

void addInferenceRoutes(InferenceRoutes routes) {
  routes.setTag(kInferenceTag);
  addModelRoutes(routes);
  addModelFileRoutes(routes);
  addUpstreamRoutes(routes);
  addLimitRoutes(routes);
  addUsageRoutes(routes);
}

Result<void> requireAdmin(const InferenceServices& services, std::string_view user_id) {
  if (!TRY(services.access.isOrganizationAdmin(user_id)))
    return Error::denied("You are not allowed to do this.");
  return {};
}

}  // namespace spindle::inference
