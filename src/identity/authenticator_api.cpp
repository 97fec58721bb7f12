#include "identity/authenticator_api.h"

namespace spindle::identity {

Result<http::Principal> KeyAuthentication::authenticate(std::string_view api_key) const {
  Result<Bearer> bearer = authenticator_.authenticate(api_key);
  if (!bearer) return std::move(bearer).error();
  http::Principal principal;
  principal.user_id = std::move(bearer->user_id);
  principal.username = std::move(bearer->username);
  principal.key_id = std::move(bearer->key_id);
  principal.team_id = std::move(bearer->team_id);
  return principal;
}

}  // namespace spindle::identity
