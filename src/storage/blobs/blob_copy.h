#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/core/result.h"
#include "base/crypto/crypto.h"
#include "storage/blobs/blob_store.h"

namespace spindle::storage {

/// Receives the number of blobs and bytes that were just processed. Called by several threads, one
/// at a time.
using BlobsDone = std::function<void(std::int64_t blobs, std::int64_t bytes)>;

/// Returns the names of all blobs of a store, sorted.
Result<std::vector<Sha256>> listBlobs(BlobStore& store);

/// Copies blobs that the target does not have, with several threads. Compares the content of each
/// with its name, and skips those that are missing or damaged in the source. A copy that was
/// interrupted at any moment can be repeated.
/// @return the first error: kStorageFull, kUnavailable.
Result<void> copyBlobs(BlobStore& from,
                       BlobStore& to,
                       const std::vector<Sha256>& names,
                       std::size_t threads,
                       const BlobsDone& done);

/// Reads blobs completely and compares their content with their names, with several threads.
/// @return the names of those that are missing or damaged, sorted; kUnavailable.
Result<std::vector<Sha256>> checkBlobs(BlobStore& store,
                                       const std::vector<Sha256>& names,
                                       std::size_t threads,
                                       const BlobsDone& done);

}  // namespace spindle::storage
