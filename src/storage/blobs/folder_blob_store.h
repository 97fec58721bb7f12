#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/mutex.h"
#include "storage/blobs/blob_store.h"
#include "storage/blobs/verified_blobs.h"

namespace spindle::storage {

/// Stores blobs as files of a folder. The path is `ab/cdef…`, the hexadecimal digits of the name,
/// so that no text of a request becomes part of a path. The store writes a temporary file, syncs it
/// and renames it: a crash leaves a complete blob or none. It compares content with its name at the
/// first read after a start and after a change of the file.
class FolderBlobStore final : public BlobStore {
 public:
  /// Creates the folder (mode 0700) if it is missing and deletes incomplete files of an earlier
  /// process. One process at a time.
  /// @throws std::runtime_error with a message for the operator.
  explicit FolderBlobStore(std::string folder);

  Result<Sha256> put(std::string_view bytes) override;
  Result<std::unique_ptr<BlobWriter>> write() override;
  Result<std::unique_ptr<BlobReader>> open(const Sha256& name) override;
  Result<std::uint64_t> size(const Sha256& name) override;
  Result<void> erase(const Sha256& name) override;
  Result<std::vector<StoredBlob>> list(std::uint8_t first_byte) override;
  /// Erases the file at once, whether or not the transaction commits.
  Result<bool> eraseIfOlder(Session& transaction, const Sha256& name, Timestamp before) override;
  Result<void> finishErasing(std::uint8_t /*first_byte*/) override { return {}; }

 private:
  class Writer;

  std::string pathOf(const Sha256& name) const;
  std::string incomingFolder() const { return folder_ + "/incoming"; }
  /// Moves a synced file to the path of its name.
  Result<void> publish(const std::string& file, const Sha256& name);
  /// Returns true if the blob exists and is undamaged, and then sets its time to now.
  bool touch(const Sha256& name);

  const std::string folder_;
  /// Serializes writers of a blob and eraseIfOlder(): the age is checked and acted on in one step.
  Mutex put_mutex_;
  /// Shared with readers, which may outlive the store.
  const std::shared_ptr<VerifiedBlobs> verified_ = std::make_shared<VerifiedBlobs>();
};

}  // namespace spindle::storage
