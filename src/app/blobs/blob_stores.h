#pragma once

#include <memory>
#include <string>

#include "base/core/time.h"
#include "config/settings.h"
#include "storage/blobs/blob_store.h"
#include "storage/database/forward.h"
#include "storage/folder/data_folder.h"

namespace spindle::app {

/// Opens the blob store of the settings: a folder, or an S3 bucket with copies in the data folder.
/// Refuses a bucket while the data folder contains files, because rows may name them.
/// `database` and `clock` must outlive the store.
/// @throws std::runtime_error with a message for the operator.
std::unique_ptr<storage::BlobStore> openBlobStore(const config::FileSettings& files,
                                                  const storage::DataFolder& folder,
                                                  storage::Database& database,
                                                  const Clock& clock);

/// Opens the blob store of the settings as openBlobStore() does, but also a bucket beside files of
/// a folder store. `cache_folder` is for copies of the blobs of a bucket.
/// @throws std::runtime_error with a message for the operator.
std::unique_ptr<storage::BlobStore> openBlobStoreForMove(const config::FileSettings& files,
                                                         const storage::DataFolder& folder,
                                                         const std::string& cache_folder,
                                                         storage::Database& database,
                                                         const Clock& clock);

}  // namespace spindle::app
