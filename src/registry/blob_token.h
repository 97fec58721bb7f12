#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/crypto.h"
#include "base/result.h"
#include "base/time.h"
#include "registry/artifact.h"

namespace spindle::registry {

/// The right to bring or to fetch the bytes of one file, until a time.
struct BlobGrant {
  enum class Use { kPut, kGet };
  Use use = Use::kPut;
  std::string team_id;
  std::int64_t version_id = 0;
  BlobKey blob;
  Timestamp expires_at;
};

/// Grants as texts for URLs, that only this server can make: whoever has one needs no key.
/// Immutable and thread-safe.
class BlobTokens {
 public:
  explicit BlobTokens(const Sha256& key) : key_(key) {}

  std::string issue(const BlobGrant& grant) const;
  /// @return kNotFound for a text that this server has not made for that use; kPermissionDenied for
  /// one whose time is over.
  Result<BlobGrant> read(std::string_view token, BlobGrant::Use use, Timestamp now) const;

 private:
  std::string signatureOf(std::string_view text) const;

  Sha256 key_;
};

}  // namespace spindle::registry
