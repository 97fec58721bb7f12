#include "s3/blobs/content.h"

#include <algorithm>
#include <utility>

namespace spindle::s3 {

std::string ContentDigests::partsChecksum() const {
  Sha256Stream of_digests;
  for (const Sha256& part : parts) {
    of_digests.add({reinterpret_cast<const char*>(part.data()), part.size()});
  }
  const Sha256 digest = of_digests.finish();
  return encodeBase64({reinterpret_cast<const char*>(digest.data()), digest.size()}) + "-" +
         std::to_string(parts.size());
}

Result<void> ContentHash::add(std::string_view bytes) {
  whole_.add(bytes);
  digests_.size += bytes.size();
  while (!bytes.empty()) {
    if (in_part_ == kPartSize) {
      digests_.parts.push_back(std::exchange(part_, Sha256Stream()).finish());
      in_part_ = 0;
      if (digests_.parts.size() == kMostParts) {
        return Error(ErrorCode::kStorageFull, "The content is larger than the file store accepts.");
      }
    }
    const std::size_t size = std::min<std::uint64_t>(bytes.size(), kPartSize - in_part_);
    part_.add(bytes.substr(0, size));
    in_part_ += size;
    bytes.remove_prefix(size);
  }
  return {};
}

ContentDigests ContentHash::finish() {
  if (in_part_ > 0) digests_.parts.push_back(part_.finish());
  digests_.name = whole_.finish();
  return std::move(digests_);
}

}  // namespace spindle::s3
