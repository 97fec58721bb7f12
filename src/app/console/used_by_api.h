#pragma once

#include "app/console/version_uses.h"
#include "http/router/forward.h"
#include "http/router/route.h"
#include "registry/routes/registry_api.h"

namespace spindle::app {

/// Adds `GET …/versions/{version}/used-by` of projects and registries. The services must outlive
/// the router.
void addUsedByRoutes(http::Router& router,
                     const registry::RegistryServices& services,
                     const VersionUses& uses,
                     const http::RoutePolicy& policy);

}  // namespace spindle::app
