#pragma once

#include "http/router/forward.h"
#include "http/router/route.h"

namespace spindle {
class Clock;
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

using RegistryRoutes = http::RouteGroup<RegistryServices>;

/// Adds the routes of registries; of collections, versions, aliases, tags, links and files in
/// projects and registries; and /api/v1/artifacts/resolve and /api/v1/blobs.
void addRegistryRoutes(RegistryRoutes routes);

// Parts of addRegistryRoutes(), one source file each:
void addRegistryAdminRoutes(RegistryRoutes routes);
void addLinkRoutes(RegistryRoutes routes);
void addCollectionRoutes(RegistryRoutes routes);
void addVersionRoutes(RegistryRoutes routes);
void addVersionLabelRoutes(RegistryRoutes routes);
void addContentRoutes(RegistryRoutes routes);

}  // namespace spindle::registry
