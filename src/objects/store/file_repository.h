#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/result.h"
#include "base/core/time.h"
#include "storage/blobs/blob_store.h"
#include "storage/database/forward.h"

namespace spindle::objects {

/// Reads a file sequentially. For one thread at a time; blocks.
class FileReader {
 public:
  explicit FileReader(std::unique_ptr<storage::BlobReader> blob) : blob_(std::move(blob)) {}

  std::uint64_t size() const { return blob_->size(); }
  /// Returns up to `most` bytes from the current position; none at the end. @return kUnavailable.
  Result<std::string> next(std::size_t most);

 private:
  std::unique_ptr<storage::BlobReader> blob_;
  std::uint64_t offset_ = 0;
};

/// Files of projects. The blob store contains each content once for all projects. A project sees
/// only files that were stored in it, so knowing a digest gives no access. Thread-safe; all calls
/// block and may return kUnavailable.
class FileRepository {
 public:
  FileRepository(storage::Database& database, storage::BlobStore& blobs, const Clock& clock)
      : database_(database), blobs_(blobs), clock_(clock) {}

  /// Stores a file with that digest (objects/values/digest.h). It is on disk when the call returns.
  /// @return kStorageFull.
  Result<void> put(std::string_view project_id, std::string_view digest, std::string_view bytes);

  /// Opens a file. @return kNotFound.
  Result<FileReader> open(std::string_view project_id, std::string_view digest);

  /// Returns the total size of the files of a project, in bytes.
  Result<std::int64_t> storageSize(std::string_view project_id);

 private:
  storage::Database& database_;
  storage::BlobStore& blobs_;
  const Clock& clock_;
};

}  // namespace spindle::objects
