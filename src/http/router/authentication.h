#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "http/message/message.h"
#include "http/router/route.h"

namespace spindle::http {

/// Finds the principal of an API key. The identity area implements it. Thread-safe; may block.
class Authenticator {
 public:
  virtual ~Authenticator() = default;
  /// @return kUnauthenticated for a key that is unknown, expired or revoked; kUnavailable if the
  /// key cannot be checked.
  virtual Result<Principal> authenticate(std::string_view api_key) const = 0;
};

/// Returns the API key of a request: the Bearer token or the Basic password (with any user name) of
/// the Authorization field, or the value of a key header (wire::isKeyHeader). Returns an empty text
/// if the request has no credential of a kind in `accepted`.
std::string presentedKey(const Headers& headers, Credentials accepted);

/// Returns the 401 response of a route, with the accepted schemes in WWW-Authenticate. Pages of a
/// browser are not offered Basic, because the browser would ask for a password itself.
Response unauthenticatedResponse(const RoutePolicy& policy, const Headers& request);

}  // namespace spindle::http
