#pragma once

#include "http/router/route.h"

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
class BlobUrlSigner;
class CollectionRepository;
class LinkRepository;
class RegistryAccess;
class RegistryRepository;
class VersionLabelRepository;
class VersionRepository;

/// The dependencies of the handlers. All of them must outlive the router and its response streams.
struct RegistryServices {
  CollectionRepository& collections;
  VersionRepository& versions;
  VersionLabelRepository& labels;
  LinkRepository& links;
  RegistryRepository& registries;
  RegistryAccess& registry_access;
  BlobRepository& blobs;
  const BlobUrlSigner& tokens;
  identity::Access& access;
  identity::TeamRepository& teams;
  const Clock& clock;
};

/// Adds the routes of registries; of collections, versions, aliases, tags, links and files in
/// projects and registries; and /api/v1/artifacts/resolve and /api/v1/blobs.
void addRegistryRoutes(http::Router& router,
                       const RegistryServices& services,
                       const http::RoutePolicy& policy);

// Parts of addRegistryRoutes(), one source file each:
void addRegistryAdminRoutes(http::Router& router,
                            const RegistryServices& services,
                            const http::RoutePolicy& policy);
void addLinkRoutes(http::Router& router,
                   const RegistryServices& services,
                   const http::RoutePolicy& policy);
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
