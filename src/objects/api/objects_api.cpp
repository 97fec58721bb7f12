#include "objects/api/objects_api.h"

#include "http/router/route_group.h"

namespace spindle::objects {

void addObjectRoutes(ObjectRoutes routes) {
  routes.setTag("objects");
  addVersionRoutes(routes);
  addVersionQueryRoute(routes);
  addLabelRoutes(routes);
  addTableRoutes(routes);
  addTableQueryRoutes(routes);
  addRefRoutes(routes);
  addFileRoutes(routes);
}

}  // namespace spindle::objects
