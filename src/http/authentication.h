#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"
#include "http/route.h"

namespace spindle::http {

/// Turns an API key into the one who holds it. A port: identity knows how. Thread-safe, may block.
class Authenticator {
 public:
  virtual ~Authenticator() = default;
  /// @return kUnauthenticated for a key that is unknown, expired or revoked; kUnavailable when
  /// that cannot be found out.
  virtual Result<Principal> authenticate(std::string_view api_key) const = 0;
};

/// The API key in an Authorization field: the Bearer token, or the password of Basic with any user
/// name; or the key in a header of its own (wire::isKeyHeader). Empty when there is none of a kind
/// that `accepted` takes.
std::string presentedKey(const Headers& headers, Credentials accepted);

/// The 401 for a route: how to authenticate stands in WWW-Authenticate.
Response unauthenticatedResponse(const RoutePolicy& policy);

}  // namespace spindle::http
