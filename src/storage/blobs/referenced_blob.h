#pragma once

#include <memory>
#include <string_view>

#include "base/core/result.h"
#include "storage/blobs/blob_store.h"

namespace spindle::storage {

/// Opens the blob that a row of the database refers to. `name` is a result of blobNameText().
/// @return kUpstream if the blob is missing (`content_missing`) or does not match its name
/// (`content_damaged`); kUnavailable.
Result<std::unique_ptr<BlobReader>> openReferenced(BlobStore& blobs, std::string_view name);

}  // namespace spindle::storage
