#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/time.h"
#include "base/crypto/crypto.h"
#include "base/crypto/secret.h"

namespace spindle::identity {

/// An API key without its text, as lists show it.
struct ApiKey {
  std::string id;
  std::string owner_id;
  std::string key_id;  ///< the first part of the key, which may be shown
  std::string name;
  Timestamp created_at;
  std::optional<Timestamp> expires_at;
  std::optional<Timestamp> last_used_at;  ///< accurate to about ten minutes
};

struct NewApiKey {
  std::string owner_id;
  std::string name;
  std::optional<Timestamp> expires_at;
};

/// A new API key with its text. The server does not store the text.
struct IssuedKey {
  ApiKey key;
  Secret text;
};

/// The text of a new key, `spk_<12>_<40>`. The part after `key_id` is secret and has 238 random
/// bits.
struct KeyText {
  Secret text;
  std::string key_id;  ///< `spk_<12>`
};
KeyText newKeyText();

/// Returns true if the text is acceptable as a key: 20 to 512 visible ASCII characters. Keys that
/// the operator gives need not have the format of generated keys.
bool isUsableKey(std::string_view text);

/// Returns the hexadecimal digest that is stored instead of a key: HMAC-SHA256 with the server's
/// own key.
std::string digestOfKey(const Sha256& server_key, std::string_view text);

}  // namespace spindle::identity
