#include "identity/api/api_key_authenticator.h"

namespace spindle::identity {

Result<http::Principal> ApiKeyAuthenticator::authenticate(std::string_view api_key) const {
  AuthenticatedUser user = TRY(authenticator_.authenticate(api_key));
  http::Principal principal;
  principal.user_id = std::move(user.user_id);
  principal.username = std::move(user.username);
  principal.key_id = std::move(user.key_id);
  principal.team_id = std::move(user.team_id);
  return principal;
}

}  // namespace spindle::identity
