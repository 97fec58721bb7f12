#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "base/crypto/crypto.h"

namespace spindle::storage {

class Session;

/// Reads the bytes of one blob in any order. For one thread at a time; calls block.
class BlobReader {
 public:
  virtual ~BlobReader() = default;

  virtual std::uint64_t size() const = 0;
  /// Reads up to `most` bytes from `offset`; fewer only at the end, none after it. Content that
  /// does not match its name is never returned completely: the last chunk of a sequential read
  /// fails, and so does the first chunk of a read that starts elsewhere.
  /// @return kUpstream (`content_damaged`) if the content does not match its name; kUnavailable.
  virtual Result<std::string> read(std::uint64_t offset, std::size_t most) = 0;
  /// Compares the whole content with its name, unless that was done before. Reads the whole
  /// content.
  /// @return as read().
  virtual Result<void> check() = 0;
};

/// Writes one new blob of any size. For one thread at a time; calls block. Destruction before
/// finish() leaves no file behind.
class BlobWriter {
 public:
  virtual ~BlobWriter() = default;

  /// @return kStorageFull, kUnavailable.
  virtual Result<void> append(std::string_view bytes) = 0;
  /// Publishes the blob; it is durable when the call returns.
  /// @return its name; kStorageFull, kUnavailable.
  virtual Result<Sha256> finish() = 0;
};

/// The name of a stored blob and the time at which it was last written or put again.
struct StoredBlob {
  Sha256 name{};
  Timestamp last_put_at;
};

/// Content that is too large for the database, addressed by the SHA-256 of its bytes. The content
/// of a name never changes, and equal bytes are stored once. The store does not check permissions.
/// Implementations are thread-safe. Calls block on disk or network: worker threads only.
class BlobStore {
 public:
  virtual ~BlobStore() = default;

  /// Stores the bytes; they are durable when the call returns. Does nothing if they are stored
  /// already; replaces a damaged copy.
  /// @return their name; kStorageFull, kUnavailable.
  virtual Result<Sha256> put(std::string_view bytes) = 0;

  /// Returns a writer for content that does not fit in memory. @return kStorageFull, kUnavailable.
  virtual Result<std::unique_ptr<BlobWriter>> write() = 0;

  /// Opens a blob. Compares small content with its name now, large content while it is read. Small
  /// content stays readable for readers that opened it before it was erased; a read of large
  /// content continues or fails.
  /// @return kNotFound; kUpstream (`content_damaged`); kUnavailable.
  virtual Result<std::unique_ptr<BlobReader>> open(const Sha256& name) = 0;

  /// Returns a URL of another server at which everybody can read the blob for `valid`, without the
  /// comparison of its content with its name. Nothing if this store has none. @return kUnavailable.
  virtual Result<std::optional<std::string>> directUrl(const Sha256& /*name*/,
                                                       std::chrono::seconds /*valid*/) {
    return std::optional<std::string>();
  }

  /// @return the size in bytes; kNotFound, kUnavailable.
  virtual Result<std::uint64_t> size(const Sha256& name) = 0;

  /// Erases a blob. Does nothing if the blob does not exist. @return kUnavailable.
  virtual Result<void> erase(const Sha256& name) = 0;

  /// Lists the blobs whose name starts with this byte. @return kUnavailable.
  virtual Result<std::vector<StoredBlob>> list(std::uint8_t first_byte) = 0;

  /// Erases a blob that was not written or put again since `before`, if the transaction of the
  /// caller commits. The caller has checked in the same transaction that no row names the blob.
  /// Call finishErasing() after the commit. A concurrent put() is either seen, or writes the blob
  /// again.
  /// @return whether the blob existed and is erased; kUnavailable.
  virtual Result<bool> eraseIfOlder(Session& transaction, const Sha256& name, Timestamp before) = 0;

  /// Deletes the content of erased blobs whose name starts with this byte, also of those that a
  /// process that died has erased. Must not run in a transaction. @return kUnavailable.
  virtual Result<void> finishErasing(std::uint8_t first_byte) = 0;
};

}  // namespace spindle::storage
