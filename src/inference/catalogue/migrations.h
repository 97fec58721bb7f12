#pragma once

#include "storage/blobs/blob_collector.h"
#include "storage/database/migration.h"

namespace spindle::inference {

/// The tables of this area in the metadata database. They refer to the tables of identity.
storage::AreaSchema inferenceSchema();

/// Returns the column that contains the blob names of this area.
storage::BlobColumn inferenceBlobs();

}  // namespace spindle::inference
