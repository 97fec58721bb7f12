#include "storage/blobs/verified_blobs.h"

#include "storage/blobs/log.h"

namespace spindle::storage {
bool VerifiedBlobs::contains(const Sha256& name, const FileStamp& stamp) const {
  const MutexLock lock(mutex_);
  const auto found = known_.find(name);
  return found != known_.end() && found->second == stamp;
}

void VerifiedBlobs::add(const Sha256& name, const FileStamp& stamp) {
  const MutexLock lock(mutex_);
  if (known_.size() >= kMaxEntries) known_.clear();
  known_[name] = stamp;
}

Error damagedContent(const Sha256& name) {
  kLog.error("blob_damaged", {{"digest", toHex(name)}});
  return Error(ErrorCode::kUpstream,
               "The stored content is damaged: it does not match its digest. An administrator can "
               "restore it from a backup.")
      .because("content_damaged");
}

Error missingContent(const Sha256& name) {
  kLog.error("blob_missing", {{"digest", toHex(name)}});
  return Error(ErrorCode::kUpstream,
               "The stored content is missing. An administrator can restore it from a backup.")
      .because("content_missing");
}

}  // namespace spindle::storage
