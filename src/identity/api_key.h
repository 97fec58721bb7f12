#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/crypto.h"
#include "base/secret.h"
#include "base/time.h"

namespace spindle::identity {

/// A key as its owner sees it later: everything but the key itself.
struct ApiKey {
  std::string id;
  std::string owner_id;
  std::string key_id;  ///< the first part of the key, for recognising it
  std::string name;
  Timestamp created_at;
  std::optional<Timestamp> expires_at;
  std::optional<Timestamp> last_used_at;  ///< to within some minutes
};

struct NewApiKey {
  std::string owner_id;
  std::string name;
  std::optional<Timestamp> expires_at;
};

/// A key at the one moment its text exists on the server.
struct IssuedKey {
  ApiKey key;
  Secret text;
};

/// A fresh key `spk_<12>_<40>`: 238 random bits behind the part that is shown again.
struct KeyText {
  Secret text;
  std::string key_id;  ///< `spk_<12>`
};
KeyText newKeyText();

/// Whether a text may be used as a key at all: 20 to 512 visible ASCII characters. Keys given by
/// the operator need not have our own form.
bool isUsableKey(std::string_view text);

/// What is stored in place of a key: it can be recomputed only with the server's own key.
/// Hexadecimal.
std::string digestOfKey(const Sha256& server_key, std::string_view text);

}  // namespace spindle::identity
