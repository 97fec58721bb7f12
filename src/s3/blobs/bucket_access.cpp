#include "s3/blobs/bucket_access.h"

#include <cstring>

#include "s3/blobs/log.h"

namespace spindle::s3 {

std::string BucketAccess::keyOf(const Sha256& name) const {
  return partPrefix(name[0]) + toHex(name);
}

std::string BucketAccess::partPrefix(std::uint8_t first_byte) const {
  return prefix + "blobs/" +
         toHex(std::string_view(reinterpret_cast<const char*>(&first_byte), 1)) + "/";
}

storage::FileStamp stampOf(const ObjectHead& head) {
  const Sha256 digest = sha256(head.etag);
  storage::FileStamp stamp;
  stamp.size = head.size;
  std::memcpy(&stamp.inode, digest.data(), sizeof(stamp.inode));
  std::memcpy(&stamp.modified_ns, digest.data() + sizeof(stamp.inode), sizeof(stamp.modified_ns));
  return stamp;
}

Error bucketFailure(std::string_view what, const Error& error) {
  kLog.error("bucket_failed",
             {{"what", what}, {"reason", error.reason()}, {"why", error.message()}});
  if (error.code() == ErrorCode::kStorageFull) {
    return {ErrorCode::kStorageFull, "There is no space left for files."};
  }
  return Error::unavailable("Files cannot be reached right now.");
}

}  // namespace spindle::s3
