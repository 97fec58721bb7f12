#include "identity/api/identity_api.h"

namespace spindle::identity {

void addIdentityRoutes(http::Router& router,
                       const IdentityServices& services,
                       const http::RoutePolicy& policy) {
  addUserRoutes(router, services, policy);
  addTeamRoutes(router, services, policy);
  addMemberRoutes(router, services, policy);
  addApiKeyRoutes(router, services, policy);
}

}  // namespace spindle::identity
