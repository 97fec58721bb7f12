#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/crypto/crypto.h"

namespace spindle::s3 {

/// Content above this size is uploaded in parts of this size.
inline constexpr std::uint64_t kPartSize = 64UL << 20;
/// The most parts of an upload that S3 servers accept.
inline constexpr std::uint64_t kMostParts = 10'000;

/// The digests of content: of all bytes, and of its parts.
struct ContentDigests {
  Sha256 name{};
  std::uint64_t size = 0;
  std::vector<Sha256> parts;

  /// Returns the checksum that S3 servers compute for an upload in these parts.
  std::string partsChecksum() const;
};

/// Computes the digests while content is written.
class ContentHash {
 public:
  /// @return kStorageFull if the content is larger than kMostParts parts.
  Result<void> add(std::string_view bytes);
  ContentDigests finish();

 private:
  Sha256Stream whole_;
  Sha256Stream part_;
  std::uint64_t in_part_ = 0;
  ContentDigests digests_;
};

/// Content to store.
struct Content {
  ContentDigests digests;
  /// As http::RequestBodySource::read.
  std::function<Result<std::string>(std::uint64_t offset, std::size_t most)> read;
};

}  // namespace spindle::s3
