#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/crypto/public_key.h"

namespace spindle::identity {

/// The public keys of an identity provider that sign ID tokens (RFC 7517). Immutable, thread-safe.
class JwkSet {
 public:
  /// Reads the RSA and P-256 keys for signatures and skips all others.
  /// @return kUpstream for text that is not a key set, or that has more than 100 keys.
  static Result<JwkSet> parse(std::string json);

  /// Returns the key with this id for this algorithm. Without an id: the only key for the
  /// algorithm. Returns nothing if there is none, or if the choice is ambiguous.
  std::optional<PublicKey> find(const std::optional<std::string>& key_id,
                                SignatureAlgorithm algorithm) const;

 private:
  struct Entry {
    std::string key_id;
    PublicKey key;
  };

  std::vector<Entry> entries_;
};

}  // namespace spindle::identity
