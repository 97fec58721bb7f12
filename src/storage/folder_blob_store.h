#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "storage/blob_store.h"
#include "storage/verified_blobs.h"

namespace spindle::storage {

/// Blobs as files of a folder: `ab/cdef…`, after the hexadecimal digits of their names, so that no
/// text of a request ever becomes part of a path. A blob is written beside, synced and renamed: it
/// is there whole or not at all, whenever the machine stops. Content is compared with its name when
/// it is read for the first time after a start or after its file has changed.
class FolderBlobStore final : public BlobStore {
 public:
  /// Makes the folder (mode 0700) when it is missing and clears what an earlier stop left half
  /// written. One process at a time. @throws std::runtime_error with a message for the operator.
  explicit FolderBlobStore(std::string folder);

  Result<Sha256> put(std::string_view bytes) override;
  Result<std::unique_ptr<BlobWriter>> write() override;
  Result<std::unique_ptr<BlobReader>> open(const Sha256& name) override;
  Result<std::uint64_t> size(const Sha256& name) override;
  Result<void> erase(const Sha256& name) override;
  Result<std::vector<StoredBlob>> list(std::uint8_t first_byte) override;
  Result<bool> eraseIfOlder(const Sha256& name, Timestamp before) override;

 private:
  class Writer;

  std::string pathOf(const Sha256& name) const;
  std::string incomingFolder() const { return folder_ + "/incoming"; }
  /// Moves a synced file to where its name belongs.
  Result<void> place(const std::string& file, const Sha256& name);
  /// Returns true if the blob is there and undamaged; then it counts as brought now.
  bool renew(const Sha256& name);

  const std::string folder_;
  /// Between who brings a blob and who erases an old one: the age is looked at and acted on in one.
  Mutex arrival_;
  /// Shared with readers, which may outlive the store.
  const std::shared_ptr<VerifiedBlobs> verified_ = std::make_shared<VerifiedBlobs>();
};

}  // namespace spindle::storage
