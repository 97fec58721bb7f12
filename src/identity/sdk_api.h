#pragma once

#include <string>

#include "http/route.h"

namespace spindle::http {
class Router;
}

namespace spindle::identity {

class Access;
class TeamRepository;

/// What the routes work with. Everything must outlive the router.
struct SdkServices {
  TeamRepository& teams;
  Access& access;
  std::string version;  ///< of the server
};

/// Adds what tracing SDKs ask before they trace: /server_info, /service/projects_info, and
/// /graphql, which answers a handful of operations by their names and is no GraphQL engine.
void addSdkRoutes(http::Router& router,
                  const SdkServices& services,
                  const http::RoutePolicy& policy);

}  // namespace spindle::identity
