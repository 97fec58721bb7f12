#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"
#include "base/crypto/crypto.h"
#include "registry/artifacts/artifact.h"

namespace spindle::registry {

/// The claims of a signed URL: the right to upload or download one file until a time.
struct BlobUrlClaims {
  enum class Use { kPut, kGet };
  Use use = Use::kPut;
  std::string team_id;
  std::int64_t version_id = 0;
  BlobKey blob;
  Timestamp expires_at;
};

/// Issues and verifies the tokens in signed URLs. A token is signed with a key of this server and
/// replaces an API key. Immutable and thread-safe.
class BlobUrlSigner {
 public:
  explicit BlobUrlSigner(const Sha256& key) : key_(key) {}

  std::string issue(const BlobUrlClaims& grant) const;
  /// Verifies a token. @return kNotFound for a token that this server did not issue for that use;
  /// kPermissionDenied for an expired token.
  Result<BlobUrlClaims> read(std::string_view token, BlobUrlClaims::Use use, Timestamp now) const;

 private:
  std::string signatureOf(std::string_view text) const;

  Sha256 key_;
};

}  // namespace spindle::registry
