#pragma once

#include <memory>
#include <optional>
#include <string_view>

namespace spindle {

/// The signature algorithms of RFC 7518 that PublicKey verifies.
enum class SignatureAlgorithm {
  kRs256,  ///< RSASSA-PKCS1-v1_5 with SHA-256
  kEs256,  ///< ECDSA with P-256 and SHA-256
};

/// A public key that verifies signatures. Numbers are big-endian bytes. Immutable and thread-safe;
/// cheap to copy.
class PublicKey {
 public:
  /// Returns nothing for a modulus below 2048 or above 8192 bits, or an exponent that is even or
  /// larger than 64 bits.
  static std::optional<PublicKey> rsa(std::string_view modulus, std::string_view exponent);
  /// Returns nothing unless the coordinates have 32 bytes each and are a point of the curve.
  static std::optional<PublicKey> p256(std::string_view x, std::string_view y);

  /// Returns the only algorithm for which the key may be used.
  SignatureAlgorithm algorithm() const { return algorithm_; }

  /// Returns true if the signature of `data` is valid. An ECDSA signature is r and s, 32 bytes
  /// each.
  bool verifies(std::string_view data, std::string_view signature) const;

 private:
  struct Key;
  PublicKey(std::shared_ptr<const Key> key, SignatureAlgorithm algorithm);

  std::shared_ptr<const Key> key_;  // shared by copies
  SignatureAlgorithm algorithm_;
};

}  // namespace spindle
