#include "identity/api/session_token_authenticator.h"

#include <utility>

namespace spindle::identity {

Result<http::Principal> SessionTokenAuthenticator::authenticate(std::string_view token) const {
  SessionUser user = TRY(authenticator_.authenticate(token));
  http::Principal principal;
  principal.user_id = std::move(user.user_id);
  principal.username = std::move(user.username);
  principal.key_id = std::move(user.key_id);
  principal.session_id = std::move(user.session_id);
  principal.team_id = std::move(user.team_id);
  return principal;
}

}  // namespace spindle::identity
