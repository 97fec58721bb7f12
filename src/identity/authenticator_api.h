#pragma once

#include "http/authentication.h"
#include "identity/authenticator.h"

namespace spindle::identity {

/// Offers the Authenticator to the router. It must outlive this.
class KeyAuthentication final : public http::Authenticator {
 public:
  explicit KeyAuthentication(identity::Authenticator& authenticator)
      : authenticator_(authenticator) {}

  Result<http::Principal> authenticate(std::string_view api_key) const override;

 private:
  identity::Authenticator& authenticator_;  // the base class would be meant without the prefix
};

}  // namespace spindle::identity
