#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/crypto/crypto.h"
#include "s3/blobs/blob_cache.h"
#include "s3/client/s3_client.h"
#include "storage/blobs/verified_blobs.h"

namespace spindle::s3 {

/// open() compares content up to this size with its name, and a reader of larger content reads so
/// much at once.
inline constexpr std::size_t kWindow = 8UL << 20;

/// The bucket and the cache, shared by a store and its readers, which may outlive the store.
struct BucketAccess {
  BucketAccess(BucketOptions options,
               const Clock& clock,
               std::string key_prefix,
               std::string cache_folder,
               std::uint64_t cache_limit)
      : client(std::move(options), clock),
        prefix(std::move(key_prefix)),
        cache(std::move(cache_folder), cache_limit) {}

  /// Returns `<prefix>blobs/ab/<64 digits>`.
  std::string keyOf(const Sha256& name) const;
  /// Returns `<prefix>blobs/ab/`.
  std::string partPrefix(std::uint8_t first_byte) const;

  S3Client client;
  const std::string prefix;
  BlobCache cache;
  /// Objects whose content was compared with their names since the start.
  storage::VerifiedBlobs verified;
};

/// Returns what identifies one state of an object, for VerifiedBlobs.
storage::FileStamp stampOf(const ObjectHead& head);

/// Logs an error of the bucket for the operator. @return the error for the API client.
Error bucketFailure(std::string_view what, const Error& error);

}  // namespace spindle::s3
