#include "identity/types/api_key.h"

#include <algorithm>

namespace spindle::identity {

KeyText newKeyText() {
  constexpr std::size_t kIdLength = 12;
  constexpr std::size_t kSecretLength = 40;
  std::string key_id = "spk_" + randomAlphanumeric(kIdLength);
  Secret text(key_id + "_" + randomAlphanumeric(kSecretLength));
  return {std::move(text), std::move(key_id)};
}

bool isUsableKey(std::string_view text) {
  constexpr std::size_t kMinLength = 20;
  constexpr std::size_t kMaxLength = 512;
  return text.size() >= kMinLength && text.size() <= kMaxLength &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

std::string digestOfKey(const Sha256& server_key, std::string_view text) {
  const std::string_view key(reinterpret_cast<const char*>(server_key.data()), server_key.size());
  return toHex(hmacSha256(key, text));
}

}  // namespace spindle::identity
