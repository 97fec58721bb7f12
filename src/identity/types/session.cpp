#include "identity/types/session.h"

#include <algorithm>
#include <array>

#include "base/core/ascii.h"
#include "base/crypto/crypto.h"

namespace spindle::identity {
namespace {

/// No key id of an API key contains a colon.
constexpr std::string_view kSessionKey = "session:";
constexpr std::size_t kTokenBytes = 32;
constexpr std::size_t kTokenLength = 43;

}  // namespace

std::string sessionKeyId(std::string_view user_id) {
  return std::string(kSessionKey).append(user_id);
}

bool isSessionKeyId(std::string_view key_id) { return key_id.starts_with(kSessionKey); }

Secret newSessionToken() {
  std::array<char, kTokenBytes> bytes{};
  randomBytes(bytes.data(), bytes.size());
  return Secret(encodeBase64Url({bytes.data(), bytes.size()}));
}

bool isSessionToken(std::string_view text) {
  return text.size() == kTokenLength && std::all_of(text.begin(), text.end(), [](char c) {
           return isLetterOrDigit(c) || c == '-' || c == '_';
         });
}

}  // namespace spindle::identity
