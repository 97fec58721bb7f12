#pragma once

#include "app/wiring/identity_stack.h"
#include "events/outbox.h"
#include "identity/api/identity_api.h"
#include "identity/api/project_api.h"
#include "registry/artifacts/blob_url_signer.h"
#include "registry/repositories/blob_repository.h"
#include "registry/repositories/collection_repository.h"
#include "registry/repositories/link_repository.h"
#include "registry/repositories/registry_access.h"
#include "registry/repositories/registry_repository.h"
#include "registry/repositories/version_garbage_collector.h"
#include "registry/repositories/version_label_repository.h"
#include "registry/repositories/version_repository.h"
#include "registry/routes/registry_api.h"
#include "storage/blobs/blob_collector.h"
#include "storage/blobs/blob_store.h"

namespace spindle::app {

/// Returns the metadata columns of all areas that refer to blobs.
std::vector<storage::BlobColumn> blobColumns();

/// The artifact store and the outbox of events. Members are constructed in this order and destroyed
/// in reverse.
class RegistryStack {
 public:
  /// All arguments must outlive this object.
  RegistryStack(IdentityStack& identity, storage::BlobStore& blob_store, const Clock& clock);

  registry::RegistryServices services();
  /// Returns the services of users and teams. Deleting a team also removes the links to its
  /// versions.
  identity::IdentityServices identityServices();
  /// Returns the services of projects. Deleting a project also removes the links to its versions.
  identity::ProjectServices projectServices();
  /// Deletes expired versions and unused blobs.
  void runMaintenance();

  events::Outbox outbox;
  registry::CollectionRepository collections;
  registry::VersionRepository versions;
  registry::VersionLabelRepository labels;
  registry::LinkRepository links;
  registry::RegistryRepository registries;
  registry::RegistryAccess registry_access;
  registry::BlobRepository blobs;
  registry::BlobUrlSigner tokens;

 private:
  void collectGarbage();

  registry::VersionGarbageCollector garbage_;
  storage::BlobCollector collector_;
  IdentityStack& identity_;
  const Clock& clock_;
};

}  // namespace spindle::app
