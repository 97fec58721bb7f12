#include "storage/blobs/referenced_blob.h"

#include <optional>

#include "storage/blobs/blob_name.h"
#include "storage/blobs/verified_blobs.h"

namespace spindle::storage {

Result<std::unique_ptr<BlobReader>> openReferenced(BlobStore& blobs, std::string_view name) {
  const std::optional<Sha256> digest = parseBlobName(name);
  if (!digest) return missingContent(Sha256{});
  Result<std::unique_ptr<BlobReader>> reader = blobs.open(*digest);
  if (!reader && reader.error().code() == ErrorCode::kNotFound) return missingContent(*digest);
  return reader;
}

}  // namespace spindle::storage
