#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/time.h"
#include "s3/blobs/blob_rows.h"
#include "s3/blobs/bucket_access.h"
#include "s3/blobs/content.h"
#include "s3/client/options.h"
#include "storage/blobs/blob_store.h"

namespace spindle::s3 {

struct S3BlobOptions {
  BucketOptions bucket;
  std::string prefix;        ///< of all keys: empty, or such as `spindle/`
  std::string cache_folder;  ///< on a disk of this node, used by this process alone
  std::uint64_t cache_limit = 10UL << 30;
  bool direct_urls = false;  ///< directUrl() returns presigned URLs
};

/// Stores blobs as objects `<prefix>blobs/ab/<sha256>` of an S3 bucket. Any number of nodes may use
/// one bucket if they share the metadata database: rows in it order writers and collectors (see
/// BlobRows). The store writes content to a file of this node while it arrives, then uploads it.
/// It compares content with its name when it is read, and keeps copies on the disk of this node.
///
/// The object `<prefix>owner` names the database. The store writes and deletes nothing below a
/// prefix of another database, whose blobs it would regard as unused.
///
/// Once a day, list() compares a part of the bucket with the rows: objects without a row get one,
/// and uploads that nobody has completed for kUploadLimit are removed.
class S3BlobStore final : public storage::BlobStore {
 public:
  static constexpr std::chrono::hours kUploadLimit{48};
  static constexpr std::chrono::hours kComparisonInterval{24};
  /// The longest time that put() waits for the deletion of the same content.
  static constexpr std::chrono::seconds kErasingWait{10};

  /// `database` (with s3Schema()) and `clock` must outlive the store and its readers.
  /// @throws std::runtime_error with a message for the operator.
  S3BlobStore(const S3BlobOptions& options, storage::Database& database, const Clock& clock);

  Result<Sha256> put(std::string_view bytes) override;
  Result<std::unique_ptr<storage::BlobWriter>> write() override;
  Result<std::unique_ptr<storage::BlobReader>> open(const Sha256& name) override;
  Result<std::uint64_t> size(const Sha256& name) override;
  Result<std::optional<std::string>> directUrl(const Sha256& name,
                                               std::chrono::seconds valid) override;
  Result<void> erase(const Sha256& name) override;
  Result<std::vector<storage::StoredBlob>> list(std::uint8_t first_byte) override;
  Result<bool> eraseIfOlder(storage::Session& transaction,
                            const Sha256& name,
                            Timestamp before) override;
  Result<void> finishErasing(std::uint8_t first_byte) override;

 private:
  class Writer;

  Result<void> store(const Content& content);
  /// Checks, once, that the prefix of the bucket belongs to this database.
  Result<void> requireOwnership();
  /// Adds rows for the objects of a part without one, and removes abandoned uploads.
  Result<void> compareWithRows(std::uint8_t first_byte);
  Result<void> adoptObjects(std::uint8_t first_byte);
  Result<void> abortOldUploads(std::uint8_t first_byte);

  const Clock& clock_;
  const bool direct_urls_;
  BlobRows rows_;
  const std::shared_ptr<BucketAccess> access_;
  Mutex ownership_mutex_;
  bool is_owner_ SPINDLE_GUARDED_BY(ownership_mutex_) = false;
};

}  // namespace spindle::s3
