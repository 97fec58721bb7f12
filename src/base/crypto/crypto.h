#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/crypto/digest_stream.h"

namespace spindle {

using Sha256 = std::array<std::uint8_t, 32>;

/// Fills the buffer from the operating system's random generator.
void randomBytes(void* out, std::size_t size);
/// Returns `size` random characters of [A-Za-z0-9].
std::string randomAlphanumeric(std::size_t size);

Sha256 sha256(std::string_view data);

/// Incremental SHA-256.
using Sha256Stream = DigestStream<Sha256>;

Sha256 hmacSha256(std::string_view key, std::string_view data);

std::string toHex(std::string_view bytes);
inline std::string toHex(const Sha256& digest) {
  return toHex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

/// Compares two texts in a time that does not depend on where they differ. Lengths are not secret.
bool equalInConstantTime(std::string_view a, std::string_view b);

std::string encodeBase64(std::string_view bytes);
/// Decodes the standard alphabet with optional padding. Returns nothing for other input.
std::optional<std::string> decodeBase64(std::string_view text);
/// Encodes with the URL-safe alphabet, without padding.
std::string encodeBase64Url(std::string_view bytes);
std::optional<std::string> decodeBase64Url(std::string_view text);

/// Encrypts with AES-256-GCM; the random nonce precedes the ciphertext. `context` is authenticated
/// but not stored. open() fails with another context, so a sealed text cannot be moved to another
/// place.
std::string seal(const Sha256& key, std::string_view plain, std::string_view context);
std::optional<std::string> open(const Sha256& key,
                                std::string_view sealed,
                                std::string_view context);

}  // namespace spindle
