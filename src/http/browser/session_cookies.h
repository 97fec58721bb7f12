#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "http/browser/site.h"
#include "http/message/message.h"

namespace spindle::http {

/// Finds the principal of a browser session. The identity area implements it. Thread-safe.
class SessionAuthenticator {
 public:
  virtual ~SessionAuthenticator() = default;

  /// May block. @return kUnauthenticated for a session that is unknown, expired or revoked;
  /// kUnavailable if it cannot be checked.
  virtual Result<Principal> authenticate(std::string_view token) const = 0;
  /// Returns the CSRF token of a session token. Never blocks.
  virtual std::string csrfTokenOf(std::string_view token) const = 0;
};

/// The cookies with session tokens: names, attributes, and the rules under which a cookie counts as
/// a credential. Immutable and thread-safe.
///
/// The name depends on how the browser reaches the server: `__Host-spindle` over HTTPS at the root,
/// `__Secure-spindle` over HTTPS below a path prefix, `spindle` over HTTP. A cookie of another name
/// is ignored: over HTTPS, no other host can set the first one.
class SessionCookies {
 public:
  /// Both arguments must outlive this object.
  SessionCookies(const Site& site, const SessionAuthenticator& sessions)
      : site_(site), sessions_(sessions) {}

  const Site& site() const { return site_; }

  /// Returns the session token of a request. Returns an empty text without a cookie, and for a
  /// request with an Authorization header or a header with an API key: such a request is judged by
  /// that credential alone.
  std::string_view tokenOf(const Request& request) const;

  /// Returns the kPermissionDenied error (`foreign_host`, `cross_site`, `csrf_token`) of a request
  /// with a session token that another site may have caused, or nothing. Never blocks.
  std::optional<Error> problemOf(const Request& request, std::string_view token) const;

  Result<Principal> authenticate(std::string_view token) const {
    return sessions_.authenticate(token);
  }
  std::string csrfTokenOf(std::string_view token) const { return sessions_.csrfTokenOf(token); }

  /// Return the Set-Cookie field that stores a token in the browser, or removes it.
  std::string storingField(const Request& request,
                           std::string_view token,
                           std::chrono::seconds max_age) const;
  std::string removingField(const Request& request) const;

 private:
  std::string_view nameFor(const Request& request) const;

  const Site& site_;
  const SessionAuthenticator& sessions_;
};

}  // namespace spindle::http
