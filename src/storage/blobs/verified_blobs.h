#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "base/core/error.h"
#include "base/core/mutex.h"
#include "base/crypto/crypto.h"

namespace spindle::storage {

/// Identifies one state of a file: any write through the file system changes it.
struct FileStamp {
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  bool operator==(const FileStamp&) const = default;
};

/// Cache of the blobs whose content was compared with their names since the start, with the state
/// of their files at that time. Bounded: drops all entries when it is full. Thread-safe.
class VerifiedBlobs {
 public:
  static constexpr std::size_t kMaxEntries = 65'536;

  /// Returns true if the content of the file in this state is known to match its name.
  bool contains(const Sha256& name, const FileStamp& stamp) const;
  void add(const Sha256& name, const FileStamp& stamp);

 private:
  mutable Mutex mutex_;
  std::map<Sha256, FileStamp> known_ SPINDLE_GUARDED_BY(mutex_);
};

/// Logs that the content of a blob does not match its name. @return kUpstream, `content_damaged`.
Error damagedContent(const Sha256& name);
/// Logs that a blob is missing that something refers to. @return kUpstream, `content_missing`.
Error missingContent(const Sha256& name);

}  // namespace spindle::storage
