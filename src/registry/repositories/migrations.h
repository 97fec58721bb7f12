#pragma once

#include "storage/blobs/blob_collector.h"
#include "storage/database/migration.h"

namespace spindle::registry {

/// Returns the SQL schema of this area. Apply it after that of identity.
storage::AreaSchema registrySchema();

/// Returns the SQL column with the names of the blobs that this area uses.
storage::BlobColumn artifactBlobs();

}  // namespace spindle::registry
