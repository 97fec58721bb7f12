#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/crypto/md5.h"
#include "registry/repositories/blob_repository.h"

namespace spindle::storage {
class BlobStore;
class BlobWriter;
}  // namespace spindle::storage

namespace spindle::training {

/// A stored blob.
struct StoredFile {
  std::string blob;
  std::string md5;  ///< Base64
  std::int64_t size = 0;
};

/// Writes a file to the blob store. Used by one thread at a time; blocks. Discards the data if
/// destroyed before finish().
class TrainingFileWriter {
 public:
  explicit TrainingFileWriter(std::unique_ptr<storage::BlobWriter> writer);
  ~TrainingFileWriter();

  /// Appends bytes. @return kStorageFull, kUnavailable
  Result<void> add(std::string_view bytes);
  /// Syncs the file to disk. @return kStorageFull, kUnavailable
  Result<StoredFile> finish();

 private:
  std::unique_ptr<storage::BlobWriter> writer_;
  Md5Stream md5_;
  std::int64_t size_ = 0;
};

/// Stores files of clients and trainers that are too large for the database. Thread-safe; blocks.
class TrainingFileStore {
 public:
  /// `blobs` must outlive this object.
  explicit TrainingFileStore(storage::BlobStore& blobs) : blobs_(blobs) {}

  /// Starts a new file.
  Result<std::unique_ptr<TrainingFileWriter>> receive();
  /// Opens a stored file. @return kNotFound, kUnavailable
  Result<registry::BlobContent> open(const std::string& blob);

 private:
  storage::BlobStore& blobs_;
};

}  // namespace spindle::training
