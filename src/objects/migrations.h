#pragma once

#include "storage/blob_collector.h"
#include "storage/migration.h"

namespace spindle::objects {

/// Object versions with their tags and aliases, tables and their rows, and which files a project
/// has. After identity: everything goes with its project.
storage::AreaSchema objectsSchema();

/// Names the blobs that this area needs.
storage::BlobColumn objectBlobs();

}  // namespace spindle::objects
