#include "identity/api/identity_api.h"

#include "http/router/route_group.h"

namespace spindle::identity {

void addIdentityRoutes(IdentityRoutes routes) {
  routes.setTag("identity");
  addUserRoutes(routes);
  addTeamRoutes(routes);
  addMemberRoutes(routes);
  addApiKeyRoutes(routes);
  addPreferenceRoutes(routes);
}

}  // namespace spindle::identity
