#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/core/time.h"
#include "base/crypto/secret.h"

namespace spindle::identity {

/// A browser session of a user, without its token.
struct UserSession {
  std::string id;
  std::string user_id;
  std::optional<std::string> api_key_id;  ///< the ApiKey that it was opened with; it ends with it
  std::string client;                     ///< the User-Agent field, shortened
  std::string address;
  Timestamp created_at;
  Timestamp expires_at;    ///< at the latest; earlier if it is not used
  Timestamp last_used_at;  ///< accurate to about ten minutes
};

struct NewSession {
  std::string user_id;
  std::optional<std::string> api_key_id = {};
  std::string client;
  std::string address;
  Timestamp expires_at;
};

/// Returns the key id of the sessions of a user that were not opened with an API key. It stands for
/// the key in limits and usage; all such sessions of a user share it.
std::string sessionKeyId(std::string_view user_id);
bool isSessionKeyId(std::string_view key_id);

/// Returns a new token of a session or a sign-in code: 32 random bytes as base64url.
Secret newSessionToken();

/// Returns true if the text has the format of newSessionToken().
bool isSessionToken(std::string_view text);

}  // namespace spindle::identity
