#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/crypto/crypto.h"
#include "base/crypto/secret.h"

namespace spindle {

/// Encrypts secrets for a text column (AES-256-GCM, Base64). Each one is bound to its place:
/// `context` is authenticated but not stored, so a sealed text cannot be moved. Immutable,
/// thread-safe.
class Sealer {
 public:
  /// `key` is derived from the server's secret key for a single purpose.
  explicit Sealer(const Sha256& key) : key_(key) {}

  std::string seal(const Secret& value, std::string_view context) const;
  /// Returns nothing when the text was sealed with another key or context, or is damaged.
  std::optional<Secret> open(std::string_view sealed, std::string_view context) const;

 private:
  const Sha256 key_;
};

}  // namespace spindle
