#pragma once

#include <string>

#include "http/browser/session_cookies.h"
#include "identity/sessions/session_authenticator.h"

namespace spindle::identity {

/// Adapts identity::SessionAuthenticator to the interface of the router. The authenticator must
/// outlive it.
class SessionTokenAuthenticator final : public http::SessionAuthenticator {
 public:
  explicit SessionTokenAuthenticator(identity::SessionAuthenticator& authenticator)
      : authenticator_(authenticator) {}

  Result<http::Principal> authenticate(std::string_view token) const override;
  std::string csrfTokenOf(std::string_view token) const override {
    return authenticator_.csrfTokenOf(token);
  }

 private:
  identity::SessionAuthenticator& authenticator_;  // without the prefix it is the base class
};

}  // namespace spindle::identity
