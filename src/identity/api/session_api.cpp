#include "identity/api/session_api.h"

#include "http/message/ip_network.h"
#include "http/router/route_group.h"
#include "identity/api/session_view.h"
#include "identity/store/session_repository.h"
#include "identity/store/user_repository.h"
#include "identity/types/names.h"
#include "schema/confidential.h"

namespace spindle::identity {
namespace {

using http::Context;
using schema::nullable, schema::string;

constexpr std::size_t kSignInBodyLimit = 16UL * 1024;
constexpr std::size_t kLongestCredential = 1024;

/// The credential of a sign-in: an API key, a user name with a password, or a code.
struct SignInBody {
  std::optional<std::string> api_key;
  std::optional<std::string> username;
  std::optional<std::string> password;
  std::optional<std::string> code;
};

schema::Codec<SignInBody> signInCodec() {
  const auto credential = nullable(string({.min_length = 1, .max_length = kLongestCredential}));
  return schema::confidential(
      schema::Record<SignInBody>("SignIn", schema::Extra::kForbid)
          .optional("api_key", &SignInBody::api_key, credential,
                    "An API key. The session ends with the key.")
          .optional("username", &SignInBody::username,
                    nullable(string({.min_length = 1, .max_length = kMaxUsername})),
                    "User name, with `password`.")
          .optional("password", &SignInBody::password, credential)
          .optional("code", &SignInBody::code, credential,
                    "One-time code of a sign-in link, which `spindle login-link` prints.")
          .codec());
}

Result<http::Reply<SessionView>> signIn(const SessionServices& services,
                                        const Context& context,
                                        const SignInBody& body) {
  const int kinds =
      (body.api_key ? 1 : 0) + (body.code ? 1 : 0) + (body.username || body.password ? 1 : 0);
  if (kinds != 1 || body.username.has_value() != body.password.has_value()) {
    return Error::invalidArgument("Give exactly one of api_key, username with password, and code.");
  }
  const SignInClient client = signInClientOf(services.cookies.site(), context.request);
  const OpenedSession opened = TRY([&]() -> Result<OpenedSession> {
    if (body.api_key) return services.sign_in.withKey(Secret(*body.api_key), client);
    if (body.code) return services.sign_in.withCode(Secret(*body.code), client);
    return services.sign_in.withPassword(*body.username, Secret(*body.password), client);
  }());
  // The session that the browser had is replaced.
  const std::string_view former = services.cookies.tokenOf(context.request);
  if (!former.empty()) TRY(services.sessions.removeByToken(former));
  return replyWithSession(services, context.request, opened);
}

Result<SessionView> showSession(const SessionServices& services, const Context& context) {
  const User user = TRY(services.users.find(context.caller().user_id));
  SessionView view = viewOf(user);
  if (context.caller().session_id.empty()) return view;
  const UserSession session = TRY(services.sessions.find(context.caller().session_id));
  addSession(services, services.cookies.tokenOf(context.request), session.expires_at, view);
  return view;
}

Result<http::Reply<http::Nothing>> signOut(const SessionServices& services,
                                           const Context& context) {
  const std::string& id = context.caller().session_id;
  if (id.empty()) return Error::notFound("This request has an API key, not a session.");
  TRY(services.sessions.remove(id));
  http::Reply<http::Nothing> reply{http::Nothing()};
  return reply.with("Set-Cookie", services.cookies.removingField(context.request));
}

/// Adds the challenge that every 401 response has.
void addChallenge(http::Route& route) {
  route.run = [run = std::move(route.run)](const Context& context) {
    http::Response response = run(context);
    if (response.status == 401) response.headers.add("WWW-Authenticate", "Bearer");
    return response;
  };
}

}  // namespace

SignInClient signInClientOf(const http::Site& site, const http::Request& request) {
  SignInClient client;
  client.address = site.clientAddress(request);
  client.address_block = http::addressBlock(client.address);
  client.user_agent = request.headers.get("User-Agent");
  return client;
}

void addSessionRoutes(SessionRoutes routes) {
  routes.setTag("identity");
  addSignInRoutes(routes);
  addSessionListRoutes(routes);
  addPasswordRoutes(routes);
}

void addSignInRoutes(const SessionRoutes& routes) {
  http::RoutePolicy open = routes.policy();
  open.credentials = http::Credentials::kOpen;
  open.own_pages_only = true;
  open.idempotent_posts = false;  // each sign-in has a session of its own
  open.body_limit = kSignInBodyLimit;
  addChallenge(routes.with(open).post(
      "/api/v1/session",
      {"signIn", "Sign in",
       "Opens a session and sets its cookie. For pages of this server: 403 unless the request has "
       "`Sec-Fetch-Site: same-origin` or the Origin of the server. Failed attempts are limited per "
       "address and per account."},
      {.body = signInCodec(),
       .reply = sessionViewCodec(),
       .status = 201,
       .facts = {.statuses = {401, 429}}},
      signIn));
  routes.get("/api/v1/session",
             {"getSession", "Show the session",
              "The caller and the CSRF token of the session. The session is used by this."},
             {.reply = sessionViewCodec()}, showSession);
  routes.remove("/api/v1/session",
                {"signOut", "Sign out", "Ends the session and removes its cookie."},
                {.status = 204, .facts = {.statuses = {404}}}, signOut);
}

}  // namespace spindle::identity
