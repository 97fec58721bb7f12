#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "base/crypto/crypto.h"
#include "s3/blobs/local_file.h"
#include "storage/blobs/verified_blobs.h"

namespace spindle::s3 {

/// Copies of blobs on the disk of this node, by digest: blobs never change, so a copy is valid for
/// ever. Limited in bytes and files; removes the copies that were opened least recently. Its folder
/// also has the files of running uploads. Nothing in it is needed after a restart. Compares a copy
/// with its name when it is opened for the first time after a start or after a change of the file.
/// Thread-safe.
class BlobCache {
 public:
  static constexpr std::size_t kMostFiles = 100'000;

  /// Creates the folder (mode 0700) if it is missing and deletes the files of uploads of an earlier
  /// process. One process at a time.
  /// @throws std::runtime_error with a message for the operator.
  BlobCache(std::string folder, std::uint64_t limit);

  /// Opens a copy. Returns nothing, and deletes the copy, if it does not match its name.
  std::optional<LocalFile> open(const Sha256& name);

  /// A copy that is being written. Destruction before publish() deletes it.
  class Writer {
   public:
    Writer(BlobCache& cache, std::string path, LocalFile file, std::uint64_t size)
        : cache_(cache), path_(std::move(path)), file_(std::move(file)), size_(size) {}
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    Result<void> append(std::string_view bytes) { return file_.append(bytes); }
    /// Adds the complete file to the cache. Its content must match the name.
    void publish(const Sha256& name);

   private:
    BlobCache& cache_;
    std::string path_;  ///< empty after publish()
    LocalFile file_;
    const std::uint64_t size_;
  };
  /// Reserves space for a copy. Returns null if there is none.
  std::unique_ptr<Writer> write(std::uint64_t size);
  /// Adds a copy of small content. Does nothing if that fails.
  void add(const Sha256& name, std::string_view bytes);
  /// Moves a file of newUploadPath() into the cache, or deletes it.
  void take(const std::string& path, const Sha256& name, std::uint64_t size);

  void remove(const Sha256& name);
  /// Returns the path of a new file for an upload.
  std::string newUploadPath() const;

 private:
  struct Entry {
    std::uint64_t size = 0;
    std::list<Sha256>::iterator position;
  };

  std::string pathOf(const Sha256& name) const;
  std::string incomingFolder() const { return folder_ + "/incoming"; }
  void loadEntries();
  bool reserve(std::uint64_t size);
  void release(std::uint64_t size);
  /// Moves a file of reserved size to its name.
  void insert(const std::string& path, const Sha256& name, std::uint64_t size);
  void removeLocked(const Sha256& name) SPINDLE_REQUIRES(mutex_);

  const std::string folder_;
  const std::uint64_t limit_;
  Mutex mutex_;
  std::map<Sha256, Entry> entries_ SPINDLE_GUARDED_BY(mutex_);
  std::list<Sha256> by_use_ SPINDLE_GUARDED_BY(mutex_);  ///< the least recently opened first
  std::uint64_t bytes_ SPINDLE_GUARDED_BY(mutex_) = 0;   ///< of all copies and reservations
  storage::VerifiedBlobs verified_;
};

}  // namespace spindle::s3
