#pragma once

#include <vector>

#include "storage/blobs/blob_collector.h"
#include "storage/database/migration.h"

namespace spindle::training {

/// Returns the tables of this area. They need the tables of projects.
storage::AreaSchema trainingSchema();

/// Returns the columns that refer to the blob store.
std::vector<storage::BlobColumn> trainingBlobs();

}  // namespace spindle::training
