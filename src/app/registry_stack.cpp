#include "app/registry_stack.h"

#include "base/log.h"

namespace spindle::app {
namespace {

constexpr Logger kLog("app");

}  // namespace

RegistryStack::RegistryStack(IdentityStack& identity,
                             storage::BlobStore& blob_store,
                             const Clock& clock)
    : outbox(*identity.database, clock),
      collections(*identity.database, outbox, clock),
      versions(*identity.database, outbox, clock),
      labels(outbox, clock),
      links(outbox, clock),
      registries(*identity.database, clock),
      registry_access(registries),
      blobs(*identity.database, blob_store, clock),
      tokens(identity.key_ring.derive("artifact-blobs")),
      identity_(identity),
      clock_(clock) {}

registry::RegistryServices RegistryStack::services() {
  return {collections, versions, labels,           links,           registries, registry_access,
          blobs,       tokens,   identity_.access, identity_.teams, clock_};
}

identity::ProjectServices RegistryStack::projectServices() {
  return {identity_.projects, identity_.users, identity_.access,
          [this](std::string_view project_id) { return collections.releaseProject(project_id); }};
}

void RegistryStack::keepHouse() {
  const Result<std::int64_t> expired = versions.expire();
  if (!expired) kLog.warning("artifacts_not_expired", {{"reason", expired.error().message()}});
  if (expired && *expired > 0) kLog.info("artifacts_expired", {{"count", *expired}});
}

}  // namespace spindle::app
