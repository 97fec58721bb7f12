#pragma once

#include "http/authentication.h"
#include "identity/authenticator.h"

namespace spindle::identity {

/// Offers the Authenticator to the router. It must outlive this.
class KeyAuthentication final : public http::Authenticator {
 public:
  explicit KeyAuthentication(Authenticator& authenticator) : authenticator_(authenticator) {}

  Result<http::Principal> authenticate(std::string_view api_key) const override;

 private:
  Authenticator& authenticator_;
};

}  // namespace spindle::identity
