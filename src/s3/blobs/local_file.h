#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/result.h"
#include "base/crypto/crypto.h"
#include "storage/blobs/verified_blobs.h"

namespace spindle::s3 {

/// An open file on the disk of this node. Movable; for one thread at a time, except read().
/// Errors: kStorageFull, kUnavailable, logged.
class LocalFile {
 public:
  /// Opens a file. Returns nothing if it does not exist or cannot be read.
  static std::optional<LocalFile> open(const std::string& path);
  /// Creates a file (mode 0600) that must not exist.
  static Result<LocalFile> create(const std::string& path);

  LocalFile(LocalFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  LocalFile& operator=(LocalFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~LocalFile();

  Result<void> append(std::string_view bytes);
  /// Reads up to `most` bytes; fewer only at the end of the file. Thread-safe.
  Result<std::string> read(std::uint64_t offset, std::size_t most) const;
  /// Returns the state of the file, or nothing if that fails.
  std::optional<storage::FileStamp> stamp() const;
  Result<Sha256> digest() const;

 private:
  explicit LocalFile(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

}  // namespace spindle::s3
