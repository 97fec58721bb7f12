#pragma once

#include "app/identity_stack.h"
#include "events/outbox.h"
#include "identity/identity_api.h"
#include "identity/project_api.h"
#include "registry/blob_repository.h"
#include "registry/blob_token.h"
#include "registry/collection_repository.h"
#include "registry/garbage_repository.h"
#include "registry/link_repository.h"
#include "registry/registry_access.h"
#include "registry/registry_api.h"
#include "registry/registry_repository.h"
#include "registry/version_label_repository.h"
#include "registry/version_repository.h"
#include "storage/blob_collector.h"
#include "storage/blob_store.h"

namespace spindle::app {

/// Returns every column of the metadata that names blobs, of all areas.
std::vector<storage::BlobColumn> blobColumns();

/// Artifacts, and the outbox that tells what happens to them. Members are built in this order and
/// destroyed in the reverse.
class RegistryStack {
 public:
  /// Everything given must outlive this.
  RegistryStack(IdentityStack& identity, storage::BlobStore& blob_store, const Clock& clock);

  registry::RegistryServices services();
  /// Users, teams and projects, with what links in registries say when some go.
  identity::IdentityServices identityServices();
  identity::ProjectServices projectServices();
  /// Ends versions whose time is over, and removes files that nobody needs any more.
  void keepHouse();

  events::Outbox outbox;
  registry::CollectionRepository collections;
  registry::VersionRepository versions;
  registry::VersionLabelRepository labels;
  registry::LinkRepository links;
  registry::RegistryRepository registries;
  registry::RegistryAccess registry_access;
  registry::BlobRepository blobs;
  registry::BlobTokens tokens;

 private:
  void collectGarbage();

  registry::GarbageRepository garbage_;
  storage::BlobCollector collector_;
  IdentityStack& identity_;
  const Clock& clock_;
};

}  // namespace spindle::app
