#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto.h"
#include "base/result.h"
#include "base/time.h"

namespace spindle::storage {

/// The bytes of one blob, read in any order. One thread at a time; calls block.
class BlobReader {
 public:
  virtual ~BlobReader() = default;

  virtual std::uint64_t size() const = 0;
  /// Up to `most` bytes from `offset` on; fewer only at the end, none behind it. Content that does
  /// not match its name is never given out whole: the last piece of a sequential read fails, and so
  /// does the first one of a read that begins elsewhere.
  /// @return kUpstream (`content_damaged`) when the content does not match its name; kUnavailable.
  virtual Result<std::string> read(std::uint64_t offset, std::size_t most) = 0;
  /// Compares the whole content with its name, unless that was done before. Reads all of it.
  /// @return as read().
  virtual Result<void> check() = 0;
};

/// A blob on its way in, of any size. One thread at a time; calls block. Destroyed before finish(),
/// it leaves nothing behind.
class BlobWriter {
 public:
  virtual ~BlobWriter() = default;

  /// @return kStorageFull, kUnavailable.
  virtual Result<void> append(std::string_view bytes) = 0;
  /// Puts the blob in its place, on disk when the call returns. @return its name; kStorageFull,
  /// kUnavailable.
  virtual Result<Sha256> finish() = 0;
};

/// A blob that is there, and when somebody last brought it.
struct StoredBlob {
  Sha256 name{};
  Timestamp brought_at;
};

/// Content too large for the database, named by the SHA-256 of its bytes: what has a name never
/// changes, and the same bytes are kept once. Who may see a blob is not decided here.
/// Implementations are thread-safe. Calls block on disk or network: worker threads only.
class BlobStore {
 public:
  virtual ~BlobStore() = default;

  /// Keeps the bytes, on disk when the call returns. Nothing happens when they are there already;
  /// a damaged copy is replaced.
  /// @return their name; kStorageFull, kUnavailable.
  virtual Result<Sha256> put(std::string_view bytes) = 0;

  /// For content that does not fit in memory. @return kStorageFull, kUnavailable.
  virtual Result<std::unique_ptr<BlobWriter>> write() = 0;

  /// Opens a blob. Small content is compared with its name here, large content while it is read.
  /// An erased blob stays readable for those who opened it before.
  /// @return kNotFound; kUpstream (`content_damaged`); kUnavailable.
  virtual Result<std::unique_ptr<BlobReader>> open(const Sha256& name) = 0;

  /// @return bytes; kNotFound, kUnavailable.
  virtual Result<std::uint64_t> size(const Sha256& name) = 0;

  /// Nothing happens when it is not there. @return kUnavailable.
  virtual Result<void> erase(const Sha256& name) = 0;

  /// Those whose name begins with this byte. @return kUnavailable.
  virtual Result<std::vector<StoredBlob>> list(std::uint8_t first_byte) = 0;

  /// Erases a blob that nobody has brought since `before`. Whoever brings it at this moment is
  /// either seen, or has it written anew. @return whether it was there and is gone; kUnavailable.
  virtual Result<bool> eraseIfOlder(const Sha256& name, Timestamp before) = 0;
};

}  // namespace spindle::storage
