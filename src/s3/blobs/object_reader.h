#pragma once

#include <memory>
#include <string>

#include "s3/blobs/bucket_access.h"
#include "storage/blobs/blob_store.h"

namespace spindle::s3 {

/// Returns a reader of content in memory that matches its name.
std::unique_ptr<storage::BlobReader> readerOf(std::string bytes);
/// Returns a reader of a cached copy that matches its name.
std::unique_ptr<storage::BlobReader> readerOf(LocalFile file, std::uint64_t size);
/// Returns a reader of an object that is larger than its first bytes. It adds the object to the
/// cache when it has been read completely.
std::unique_ptr<storage::BlobReader> readerOf(std::shared_ptr<BucketAccess> access,
                                              const Sha256& name,
                                              ObjectPart first);

}  // namespace spindle::s3
