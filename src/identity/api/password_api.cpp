#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/api/session_api.h"
#include "identity/api/session_view.h"
#include "identity/store/session_repository.h"
#include "identity/store/user_repository.h"
#include "schema/confidential.h"

namespace spindle::identity {
namespace {

using http::Context;
using schema::nullable, schema::string;

struct OwnPasswordBody {
  std::optional<std::string> current_password;
  std::string new_password;
};
struct PasswordBody {
  std::string new_password;
};
struct PasswordPath {
  std::string username;
};

schema::Codec<OwnPasswordBody> ownPasswordCodec() {
  return schema::confidential(
      schema::Record<OwnPasswordBody>("OwnPassword", schema::Extra::kForbid)
          .optional("current_password", &OwnPasswordBody::current_password,
                    nullable(string({.max_length = kLongestPassword})),
                    "Required if the caller has a password.")
          .required("new_password", &OwnPasswordBody::new_password, newPasswordCodec())
          .codec());
}

schema::Codec<PasswordBody> passwordCodec() {
  return schema::confidential(
      schema::Record<PasswordBody>("NewPassword", schema::Extra::kForbid)
          .required("new_password", &PasswordBody::new_password, newPasswordCodec())
          .codec());
}

Result<http::Reply<SessionView>> changeOwnPassword(const SessionServices& services,
                                                   const Context& context,
                                                   const OwnPasswordBody& body) {
  const http::Principal& caller = context.caller();
  const User user = TRY(services.users.find(caller.user_id));
  std::optional<std::string> api_key_id;
  if (!caller.session_id.empty()) {
    api_key_id = TRY(services.sessions.find(caller.session_id)).api_key_id;
  }
  std::optional<Secret> current;
  if (body.current_password) current = Secret(*body.current_password);
  TRY(services.sign_in.changePassword(user, current, Secret(body.new_password)));
  if (caller.session_id.empty()) return http::Reply<SessionView>(viewOf(user));
  // The caller stays signed in, under a new token.
  const OpenedSession opened = TRY(services.sign_in.open(
      user.id, signInClientOf(services.cookies.site(), context.request), std::move(api_key_id)));
  return replyWithSession(services, context.request, opened);
}

Result<void> setPassword(const SessionServices& services,
                         const Context& context,
                         const PasswordPath& path,
                         const PasswordBody& body) {
  const std::string& caller = context.caller().user_id;
  if (!TRY(services.access.isOrganizationAdmin(caller))) return Error::notFound("User not found");
  const User user = TRY(services.users.findByUsername(path.username));
  if (user.id == caller) {
    return Error::conflict("Change your own password with PUT /api/v1/me/password.")
        .because("own_password");
  }
  return services.sign_in.setPassword(user.id, Secret(body.new_password));
}

}  // namespace

void addPasswordRoutes(const SessionRoutes& routes) {
  routes.put("/api/v1/me/password",
             {"changePassword", "Change one's password",
              "Ends all sessions of the caller. The session of this request continues under a new "
              "cookie and CSRF token."},
             {.body = ownPasswordCodec(), .reply = sessionViewCodec()}, changeOwnPassword);
  routes.put("/api/v1/users/{username}/password",
             {"setPassword", "Set the password of a user",
              "Ends all sessions of the user. For organization admins."},
             {.params = http::Parameters<PasswordPath>().path("username", &PasswordPath::username,
                                                              string(), "User name."),
              .body = passwordCodec()},
             setPassword);
}

}  // namespace spindle::identity
