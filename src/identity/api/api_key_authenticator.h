#pragma once

#include "http/router/authentication.h"
#include "identity/access/authenticator.h"

namespace spindle::identity {

/// Adapts identity::Authenticator to the router's interface. The authenticator must outlive it.
class ApiKeyAuthenticator final : public http::Authenticator {
 public:
  explicit ApiKeyAuthenticator(identity::Authenticator& authenticator)
      : authenticator_(authenticator) {}

  Result<http::Principal> authenticate(std::string_view api_key) const override;

 private:
  identity::Authenticator& authenticator_;  // without the prefix it is the base class
};

}  // namespace spindle::identity
