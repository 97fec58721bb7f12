#pragma once

#include <string>

#include "http/router/forward.h"
#include "http/router/route.h"

namespace spindle::identity {

class Access;
class TeamRepository;

/// Dependencies of the routes. All must outlive the router.
struct SdkServices {
  TeamRepository& teams;
  Access& access;
  std::string version;  ///< of the server
};

using SdkRoutes = http::RouteGroup<SdkServices>;

/// Adds the routes that tracing SDKs call before they trace: /server_info, /service/projects_info
/// and /graphql. /graphql supports a few operations by name; it is not a GraphQL engine.
void addSdkRoutes(SdkRoutes routes);

}  // namespace spindle::identity
