#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace spindle::storage {
class BlobReader;
class BlobStore;
class Database;
}  // namespace spindle::storage

namespace spindle::objects {

/// A file that is being read. One thread at a time; blocks.
class FileReader {
 public:
  explicit FileReader(std::unique_ptr<storage::BlobReader> blob);
  FileReader(FileReader&&) noexcept;
  FileReader& operator=(FileReader&&) noexcept;
  ~FileReader();

  std::uint64_t size() const;
  /// Up to `most` bytes from where the last call ended; none at the end. @return kUnavailable.
  Result<std::string> next(std::size_t most);

 private:
  std::unique_ptr<storage::BlobReader> blob_;
  std::uint64_t offset_ = 0;
};

/// Files of projects. The bytes are in the blob store, once for all projects; a project sees only
/// what was given to it, so that knowing a digest opens nothing. Thread-safe; calls block, and
/// every one may return kUnavailable.
class FileRepository {
 public:
  FileRepository(storage::Database& database, storage::BlobStore& blobs, const Clock& clock)
      : database_(database), blobs_(blobs), clock_(clock) {}

  /// Keeps a file of that digest (objects/digest.h), on disk when the call returns.
  /// @return kStorageFull.
  Result<void> put(std::string_view project_id, std::string_view digest, std::string_view bytes);

  /// @return kNotFound.
  Result<FileReader> open(std::string_view project_id, std::string_view digest);

  /// Bytes of all files of a project.
  Result<std::int64_t> storageSize(std::string_view project_id);

 private:
  storage::Database& database_;
  storage::BlobStore& blobs_;
  const Clock& clock_;
};

}  // namespace spindle::objects
