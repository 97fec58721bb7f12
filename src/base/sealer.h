#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/crypto.h"
#include "base/secret.h"

namespace spindle {

/// Seals secrets for a text column (AES-256-GCM, as Base64), each bound to where it stands:
/// `context` is authenticated but not stored, so a sealed text cannot be moved. Immutable,
/// thread-safe.
class Sealer {
 public:
  /// `key` is derived from the server's secret key for one purpose alone.
  explicit Sealer(const Sha256& key) : key_(key) {}

  std::string seal(const Secret& value, std::string_view context) const;
  /// Nothing when it was sealed with another key or for another place, or is damaged.
  std::optional<Secret> open(std::string_view sealed, std::string_view context) const;

 private:
  const Sha256 key_;
};

}  // namespace spindle
