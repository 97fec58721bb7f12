#pragma once

#include "storage/blobs/blob_collector.h"
#include "storage/database/migration.h"

namespace spindle::objects {

/// Returns the schema of object versions with their tags and aliases, tables and their rows, and
/// the files of projects. Requires the identity schema: all rows are deleted with their project.
storage::AreaSchema objectsSchema();

/// Returns the column that contains the blob names of this area.
storage::BlobColumn objectBlobs();

}  // namespace spindle::objects
