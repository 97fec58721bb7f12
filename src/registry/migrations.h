#pragma once

#include "storage/blob_collector.h"
#include "storage/migration.h"

namespace spindle::registry {

/// Returns the SQL schema of this area. Apply it after that of identity.
storage::AreaSchema registrySchema();

/// Returns the SQL column with the names of the blobs that this area uses.
storage::BlobColumn artifactBlobs();

}  // namespace spindle::registry
