#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "registry/artifact.h"
#include "registry/blob_token.h"

namespace spindle::storage {
class BlobReader;
class BlobStore;
class Database;
}  // namespace spindle::storage

namespace spindle::registry {

/// The bytes of a file, read in any order. One thread at a time; blocks.
class BlobContent {
 public:
  explicit BlobContent(std::unique_ptr<storage::BlobReader> blob);
  BlobContent(BlobContent&&) noexcept;
  BlobContent& operator=(BlobContent&&) noexcept;
  ~BlobContent();

  std::uint64_t size() const;
  /// Up to `most` bytes from `offset` on; none behind the end. @return kUpstream when the content
  /// is damaged; kUnavailable.
  Result<std::string> read(std::uint64_t offset, std::size_t most);
  /// Compares the whole content with its digest, unless that was done before. For requests that
  /// want a part: their first piece is sent with a status. @return as read().
  Result<void> check();

 private:
  std::unique_ptr<storage::BlobReader> blob_;
};

/// A file on its way in. One thread at a time; blocks. Destroyed before finish(), it leaves
/// nothing.
class BlobIntake {
 public:
  virtual ~BlobIntake() = default;

  /// @return kTooLarge when there are more bytes than were promised; kStorageFull, kUnavailable.
  virtual Result<void> add(std::string_view bytes) = 0;
  /// Keeps the file, on disk when the call returns.
  /// @return kUnprocessable `md5_mismatch` or `size_mismatch` when it is not the one that was
  /// promised; kStorageFull, kUnavailable.
  virtual Result<void> finish() = 0;
};

/// The files that teams have brought. Bytes are kept once for all teams; a team finds only what it
/// has brought itself. Thread-safe; calls block, and every one may return kUnavailable.
class BlobRepository {
 public:
  BlobRepository(storage::Database& database, storage::BlobStore& blobs, const Clock& clock)
      : database_(database), blobs_(blobs), clock_(clock) {}

  /// @return kConflict `not_pending` when the version waits for nothing more.
  Result<std::unique_ptr<BlobIntake>> receive(const BlobGrant& grant);

  /// @return kNotFound.
  Result<BlobContent> open(std::string_view team_id, const BlobKey& key);

 private:
  storage::Database& database_;
  storage::BlobStore& blobs_;
  const Clock& clock_;
};

}  // namespace spindle::registry
