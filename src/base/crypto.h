#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace spindle {

using Sha256 = std::array<std::uint8_t, 32>;

/// Fills the buffer from the operating system's generator.
void randomBytes(void* out, std::size_t size);
/// `size` random characters of [A-Za-z0-9].
std::string randomAlphanumeric(std::size_t size);

Sha256 sha256(std::string_view data);

/// SHA-256 of bytes that come in pieces. One thread at a time.
class Sha256Stream {
 public:
  Sha256Stream();
  Sha256Stream(Sha256Stream&&) noexcept;
  Sha256Stream& operator=(Sha256Stream&&) noexcept;
  ~Sha256Stream();

  void add(std::string_view bytes);
  /// Ends the stream: nothing more may be added.
  Sha256 finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Sha256 hmacSha256(std::string_view key, std::string_view data);

std::string toHex(std::string_view bytes);
inline std::string toHex(const Sha256& digest) {
  return toHex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

/// Compares without telling by its duration where the texts differ. Lengths are not secret.
bool equalInConstantTime(std::string_view a, std::string_view b);

std::string encodeBase64(std::string_view bytes);
/// Standard alphabet, padding optional. Empty optional on anything else.
std::optional<std::string> decodeBase64(std::string_view text);
/// URL-safe alphabet without padding.
std::string encodeBase64Url(std::string_view bytes);
std::optional<std::string> decodeBase64Url(std::string_view text);

/// AES-256-GCM with a random nonce in front. `context` is authenticated but not stored: opening
/// with another context fails, so a sealed text cannot be moved to another place.
std::string seal(const Sha256& key, std::string_view plain, std::string_view context);
std::optional<std::string> open(const Sha256& key,
                                std::string_view sealed,
                                std::string_view context);

}  // namespace spindle
