#include "objects/api/objects_api.h"

namespace spindle::objects {

void addObjectRoutes(http::Router& router,
                     const ObjectServices& services,
                     const http::RoutePolicy& policy) {
  addVersionRoutes(router, services, policy);
  addVersionQueryRoute(router, services, policy);
  addLabelRoutes(router, services, policy);
  addTableRoutes(router, services, policy);
  addTableQueryRoutes(router, services, policy);
  addRefRoutes(router, services, policy);
  addFileRoutes(router, services, policy);
}

}  // namespace spindle::objects
