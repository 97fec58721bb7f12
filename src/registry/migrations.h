#pragma once

#include "storage/blob_collector.h"
#include "storage/migration.h"

namespace spindle::registry {

/// After those of identity.
storage::AreaSchema registrySchema();

/// Names the blobs that this area needs.
storage::BlobColumn artifactBlobs();

}  // namespace spindle::registry
