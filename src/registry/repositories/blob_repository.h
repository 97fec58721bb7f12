#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/result.h"
#include "base/core/time.h"
#include "registry/artifacts/artifact.h"
#include "registry/artifacts/blob_url_signer.h"
#include "registry/artifacts/concurrent_md5.h"
#include "storage/blobs/blob_store.h"
#include "storage/database/forward.h"

namespace spindle::registry {

/// Random access to the bytes of a file. Not thread-safe; calls block.
class BlobContent {
 public:
  explicit BlobContent(std::unique_ptr<storage::BlobReader> blob) : blob_(std::move(blob)) {}

  std::uint64_t size() const { return blob_->size(); }
  /// Reads up to `most` bytes from `offset`; returns an empty text at the end. @return kUpstream if
  /// the content is damaged; kUnavailable.
  Result<std::string> read(std::uint64_t offset, std::size_t most) {
    return blob_->read(offset, most);
  }
  /// Compares the whole content with its digest, once. Call this before a range request is
  /// answered, because the first chunk goes out with a success status. @return as read().
  Result<void> check() { return blob_->check(); }

 private:
  std::unique_ptr<storage::BlobReader> blob_;
};

/// Receives one uploaded file in chunks and compares it with the manifest. Not thread-safe; calls
/// block. The destructor discards the file if finish() was not called.
class BlobReceiver {
 public:
  BlobReceiver(storage::Database& database,
               std::unique_ptr<storage::BlobWriter> writer,
               BlobUrlClaims grant,
               const Clock& clock);

  /// Adds a chunk. @return kTooLarge if the file becomes larger than in the manifest; kStorageFull,
  /// kUnavailable.
  Result<void> add(std::string_view bytes);
  /// Stores the file and returns when it is durable.
  /// @return kUnprocessable `md5_mismatch` or `size_mismatch` if the file differs from the
  /// manifest; kStorageFull, kUnavailable.
  Result<void> finish();

 private:
  storage::Database& database_;
  std::unique_ptr<storage::BlobWriter> writer_;
  BlobUrlClaims grant_;
  const Clock& clock_;
  ConcurrentMd5 hash_;
  std::uint64_t received_ = 0;
};

/// Access to the files that teams uploaded. The blob store keeps equal bytes once for all teams,
/// but a team finds only its own uploads. Thread-safe; calls block. Every call can return
/// kUnavailable.
class BlobRepository {
 public:
  BlobRepository(storage::Database& database, storage::BlobStore& blobs, const Clock& clock)
      : database_(database), blobs_(blobs), clock_(clock) {}

  /// Starts an upload. @return kConflict `not_pending` if the version is not pending.
  Result<std::unique_ptr<BlobReceiver>> receive(const BlobUrlClaims& grant);

  /// Opens an uploaded file. @return kNotFound.
  Result<BlobContent> open(std::string_view team_id, const BlobKey& key);

  /// Returns a URL of the blob store at which everybody can read the file for a few minutes, if the
  /// store has such URLs. @return kNotFound.
  Result<std::optional<std::string>> directUrl(std::string_view team_id, const BlobKey& key);

 private:
  /// Returns the name of the blob of a file. @return kNotFound.
  Result<std::string> contentOf(std::string_view team_id, const BlobKey& key);

  storage::Database& database_;
  storage::BlobStore& blobs_;
  const Clock& clock_;
};

}  // namespace spindle::registry
