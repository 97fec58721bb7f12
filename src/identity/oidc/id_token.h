#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"

namespace spindle::identity {

class JwkSet;

/// The claims of a valid ID token about a user.
struct IdClaims {
  std::string issuer;
  std::string subject;  ///< unique and never reassigned within the issuer
  std::string email;    ///< empty: none
  bool email_verified = false;
  std::string name;                ///< empty: none
  std::string preferred_username;  ///< empty: none
};

/// The claims that an ID token must have.
struct IdTokenRules {
  std::string issuer;
  std::string client_id;
  std::string nonce;
  Timestamp now;
  std::chrono::seconds leeway{60};  ///< of the clocks of server and provider
};

/// The reason of the error for a token whose key is not in the set: the set may be outdated.
inline constexpr std::string_view kUnknownKey = "unknown_key";

/// Verifies an ID token (OpenID Connect Core, 3.1.3.7). Accepts RS256 and ES256 only, and the
/// algorithm that the key is for: the header alone never selects how a key is used.
/// @return kUnauthenticated, with the reason kUnknownKey if no key of the set fits.
Result<IdClaims> verifyIdToken(std::string_view token,
                               const JwkSet& keys,
                               const IdTokenRules& rules);

}  // namespace spindle::identity
