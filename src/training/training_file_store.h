#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/md5.h"
#include "base/result.h"
#include "registry/blob_repository.h"

namespace spindle::storage {
class BlobStore;
class BlobWriter;
}  // namespace spindle::storage

namespace spindle::training {

/// A file in the blob store, as tables keep it.
struct KeptFile {
  std::string blob;
  std::string md5;  ///< Base64
  std::int64_t size = 0;
};

/// A file on its way in. One thread at a time; blocks. Destroyed before finish(), it leaves
/// nothing.
class FileIntake {
 public:
  explicit FileIntake(std::unique_ptr<storage::BlobWriter> writer);
  ~FileIntake();

  /// @return kStorageFull, kUnavailable.
  Result<void> add(std::string_view bytes);
  /// On disk when the call returns. @return kStorageFull, kUnavailable.
  Result<KeptFile> finish();

 private:
  std::unique_ptr<storage::BlobWriter> writer_;
  Md5Stream md5_;
  std::int64_t size_ = 0;
};

/// What clients and trainers send, too large for the database. Thread-safe; blocks.
class TrainingFileStore {
 public:
  /// `blobs` outlives this.
  explicit TrainingFileStore(storage::BlobStore& blobs) : blobs_(blobs) {}

  Result<std::unique_ptr<FileIntake>> receive();
  /// @return kNotFound, kUnavailable.
  Result<registry::BlobContent> open(const std::string& blob);

 private:
  storage::BlobStore& blobs_;
};

}  // namespace spindle::training
