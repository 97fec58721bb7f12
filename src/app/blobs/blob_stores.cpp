#include "app/blobs/blob_stores.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "app/blobs/bucket_options.h"
#include "backup/data_layout.h"
#include "s3/blobs/s3_blob_store.h"
#include "storage/blobs/folder_blob_store.h"

namespace spindle::app {
namespace {

/// @throws std::runtime_error if the data folder has files of a folder store.
void refuseLocalFiles(const storage::DataFolder& folder) {
  const std::vector<std::string> data = backup::dataBesideMetadata(folder.path());
  if (std::find(data.begin(), data.end(), backup::kBlobsFolder) == data.end()) return;
  throw std::runtime_error(
      "files.store is s3, but " + folder.fileAt(backup::kBlobsFolder) +
      " contains files that the server could not find in the bucket. Set files.store = \"folder\", "
      "or move that folder away if the bucket has them all");
}

}  // namespace

std::unique_ptr<storage::BlobStore> openBlobStore(const config::FileSettings& files,
                                                  const storage::DataFolder& folder,
                                                  storage::Database& database,
                                                  const Clock& clock) {
  if (files.usesS3()) refuseLocalFiles(folder);
  return openBlobStoreForMove(files, folder, folder.fileAt(backup::kBlobCacheFolder), database,
                              clock);
}

std::unique_ptr<storage::BlobStore> openBlobStoreForMove(const config::FileSettings& files,
                                                         const storage::DataFolder& folder,
                                                         const std::string& cache_folder,
                                                         storage::Database& database,
                                                         const Clock& clock) {
  if (!files.usesS3()) {
    return std::make_unique<storage::FolderBlobStore>(folder.fileAt(backup::kBlobsFolder));
  }
  s3::S3BlobOptions options;
  options.bucket = bucketOptions(files);
  options.prefix = files.s3_prefix;
  options.cache_folder = cache_folder;
  options.cache_limit = files.s3_cache;
  options.direct_urls = files.s3_direct_downloads;
  return std::make_unique<s3::S3BlobStore>(options, database, clock);
}

}  // namespace spindle::app
