#pragma once

#include "app/identity_stack.h"
#include "events/outbox.h"
#include "registry/blob_repository.h"
#include "registry/blob_token.h"
#include "registry/collection_repository.h"
#include "registry/registry_api.h"
#include "registry/version_label_repository.h"
#include "registry/version_repository.h"
#include "storage/blob_store.h"

namespace spindle::app {

/// Artifacts, and the outbox that tells what happens to them. Members are built in this order and
/// destroyed in the reverse.
class RegistryStack {
 public:
  /// Everything given must outlive this.
  RegistryStack(IdentityStack& identity, storage::BlobStore& blob_store, const Clock& clock);

  registry::RegistryServices services();
  /// Ends versions whose time is over.
  void keepHouse();

  events::Outbox outbox;
  registry::CollectionRepository collections;
  registry::VersionRepository versions;
  registry::VersionLabelRepository labels;
  registry::BlobRepository blobs;
  registry::BlobTokens tokens;

 private:
  IdentityStack& identity_;
  const Clock& clock_;
};

}  // namespace spindle::app
