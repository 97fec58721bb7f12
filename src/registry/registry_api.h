#pragma once

#include "http/route.h"

namespace spindle {
class Clock;
}
namespace spindle::http {
class Router;
}
namespace spindle::identity {
class Access;
class TeamRepository;
}  // namespace spindle::identity

namespace spindle::registry {

class BlobRepository;
class BlobTokens;
class CollectionRepository;
class VersionLabelRepository;
class VersionRepository;

/// What the routes work with. Everything must outlive the router and the streams it answers with.
struct RegistryServices {
  CollectionRepository& collections;
  VersionRepository& versions;
  VersionLabelRepository& labels;
  BlobRepository& blobs;
  const BlobTokens& tokens;
  identity::Access& access;
  identity::TeamRepository& teams;
  const Clock& clock;
};

/// Adds collections, versions, aliases, tags and files of projects, /api/v1/artifacts/resolve and
/// /api/v1/blobs.
void addRegistryRoutes(http::Router& router,
                       const RegistryServices& services,
                       const http::RoutePolicy& policy);

// The parts, one file each:
void addCollectionRoutes(http::Router& router,
                         const RegistryServices& services,
                         const http::RoutePolicy& policy);
void addVersionRoutes(http::Router& router,
                      const RegistryServices& services,
                      const http::RoutePolicy& policy);
void addVersionLabelRoutes(http::Router& router,
                           const RegistryServices& services,
                           const http::RoutePolicy& policy);
void addContentRoutes(http::Router& router,
                      const RegistryServices& services,
                      const http::RoutePolicy& policy);

}  // namespace spindle::registry
