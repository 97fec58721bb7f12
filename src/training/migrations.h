#pragma once

#include <vector>

#include "storage/blob_collector.h"
#include "storage/migration.h"

namespace spindle::training {

/// Stands on the tables of projects.
storage::AreaSchema trainingSchema();

/// The columns that name content in the blob store.
std::vector<storage::BlobColumn> trainingBlobs();

}  // namespace spindle::training
