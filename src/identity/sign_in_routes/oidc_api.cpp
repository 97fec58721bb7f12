#include "identity/sign_in_routes/oidc_api.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/log.h"
#include "http/browser/cookies.h"
#include "http/browser/site.h"
#include "http/message/origin.h"
#include "http/message/uri.h"
#include "http/router/route_group.h"
#include "identity/oidc/oidc_sign_in.h"
#include "identity/sessions/attempt_limiter.h"
#include "identity/store/session_repository.h"

namespace spindle::identity {
namespace {

using http::Context, http::Reply;
using schema::nullable, schema::string;

constexpr Logger kOidcLog{"identity"};
constexpr std::string_view kCallback = "/api/v1/session/oidc/callback";
constexpr std::string_view kFirstPage = "/console/";
constexpr std::size_t kMaxParameter = 4096;

struct MethodView {
  std::string name;
};
struct MethodsView {
  bool api_key = true;
  bool password = true;
  std::optional<MethodView> oidc;
};
struct StartQuery {
  std::string next = std::string(kFirstPage);
};

schema::Codec<MethodsView> methodsCodec() {
  const auto method = schema::Record<MethodView>("SignInProvider")
                          .required("name", &MethodView::name, string(), "To show to people.")
                          .codec();
  return schema::Record<MethodsView>("SignInMethods")
      .required("api_key", &MethodsView::api_key, schema::boolean())
      .required("password", &MethodsView::password, schema::boolean())
      .required("oidc", &MethodsView::oidc, nullable(method),
                "The identity provider; null: none is configured.")
      .codec();
}

/// The cookie with the values of a sign-in that the provider must confirm.
class OidcCookie {
 public:
  OidcCookie(const OidcServices& services, const http::Request& request)
      : secure_(services.sessions.cookies.site().isSecure(request)),
        path_(std::string(http::prefixOf(request)) + "/") {}

  std::string_view valueOf(const http::Request& request) const {
    return http::cookieValue(request.headers, name());
  }
  std::string field(std::string_view value, std::chrono::seconds max_age) const {
    return http::setCookieField({name(), value, path_, max_age, secure_});
  }

 private:
  std::string_view name() const {
    if (!secure_) return "spindle-oidc";
    return path_ == "/" ? "__Host-spindle-oidc" : "__Secure-spindle-oidc";
  }

  const bool secure_;
  const std::string path_;
};

Reply<http::Nothing> redirectTo(std::string_view url) {
  Reply<http::Nothing> reply{http::Nothing{}};
  reply.status = 302;
  reply.with("Location", url).with("Cache-Control", "no-store");
  return reply;
}

/// Returns the word for the login page of the console. Details of the error stay in the log.
std::string_view loginErrorOf(const Error& error) {
  const std::string_view reason = error.reason();
  for (const std::string_view known :
       {"cancelled", "domain", "no_user", "replayed", "state", "suspended"}) {
    if (reason == known) return known;
  }
  if (error.code() == ErrorCode::kRateLimited) return "too_many_attempts";
  return error.code() == ErrorCode::kUnauthenticated ? "refused" : "unavailable";
}

Reply<http::Nothing> redirectToLogin(const OidcServices& services,
                                     const http::Request& request,
                                     const Error& error) {
  const std::string_view word = loginErrorOf(error);
  kOidcLog.warning(
      "oidc_sign_in_failed",
      {{"error", word}, {"reason", error.message()}, {"request_id", request.request_id}});
  return redirectTo(services.base_url(request) + "/console/login?error=oidc_" + std::string(word));
}

Result<OidcSignIn*> providerOf(const OidcServices& services) {
  if (services.oidc != nullptr) return services.oidc;
  return Error::notFound("No identity provider is configured.");
}

MethodsView methodsOf(const OidcServices& services) {
  MethodsView view;
  if (services.oidc != nullptr) view.oidc = MethodView{services.oidc->name()};
  return view;
}

Result<Reply<http::Nothing>> startSignIn(const OidcServices& services,
                                         const Context& context,
                                         const StartQuery& query) {
  OidcSignIn* const oidc = TRY(providerOf(services));
  const http::Request& request = context.request;
  const std::string_view next = isNextPage(query.next) ? query.next : kFirstPage;
  const Result<OidcSignIn::Started> started =
      oidc->start(next, services.base_url(request) + std::string(kCallback));
  if (!started) return redirectToLogin(services, request, started.error());
  Reply<http::Nothing> reply = redirectTo(started->url);
  reply.with("Set-Cookie",
             OidcCookie(services, request).field(started->cookie, OidcSignIn::kLifetime));
  return reply;
}

Result<Reply<http::Nothing>> finishSignIn(const OidcServices& services,
                                          const Context& context,
                                          const OidcSignIn::Answer& answer) {
  OidcSignIn* const oidc = TRY(providerOf(services));
  const http::Request& request = context.request;
  const OidcCookie cookie(services, request);
  const http::SessionCookies& cookies = services.sessions.cookies;
  const SignInClient client = signInClientOf(cookies.site(), request);
  const auto finish = [&]() -> Result<Reply<http::Nothing>> {
    TRY(services.attempts.take(client.address_block));
    const OidcSignIn::Finished finished = TRY(oidc->finish(
        answer, cookie.valueOf(request), services.base_url(request) + std::string(kCallback)));
    const OpenedSession opened = TRY(services.sessions.sign_in.open(finished.user.id, client));
    services.attempts.giveBack(client.address_block);
    const std::string_view former = cookies.tokenOf(request);
    if (!former.empty()) {
      TRY(services.sessions.sessions.removeByToken(former));
    }
    Reply<http::Nothing> reply = redirectTo(services.base_url(request) + finished.next);
    const auto lifetime =
        std::chrono::duration_cast<std::chrono::seconds>(services.sessions.times.lifetime);
    reply.with("Set-Cookie", cookies.storingField(request, opened.token.reveal(), lifetime));
    return reply;
  };
  Result<Reply<http::Nothing>> reply = finish();
  if (!reply) reply = redirectToLogin(services, request, reply.error());
  reply->with("Set-Cookie", cookie.field("", std::chrono::seconds(0)));
  return reply;
}

}  // namespace

void addOidcRoutes(OidcRoutes routes) {
  routes.setTag("sessions");
  http::RoutePolicy open = routes.policy();
  open.credentials = http::Credentials::kOpen;
  routes.with(open).get(
      "/api/v1/session/methods",
      {"getSignInMethods", "List the ways to sign in", "Needs no credential."},
      {.reply = methodsCodec()},
      [](const OidcServices& services) -> Result<MethodsView> { return methodsOf(services); });
  open.uses_outbound_threads = true;
  const OidcRoutes outbound = routes.with(open);
  const auto parameter = string({.max_length = kMaxParameter});
  using Answer = OidcSignIn::Answer;
  outbound.get("/api/v1/session/oidc/start",
               {"startOidcSignIn", "Sign in with the identity provider",
                "For browsers: redirects to the provider. 404 if none is configured."},
               {.params = http::Parameters<StartQuery>().query(
                    "next", &StartQuery::next, parameter,
                    "Page of the console to show afterwards. Other values are ignored."),
                .status = 302,
                .facts = {.statuses = {404}}},
               startSignIn);
  outbound.get("/api/v1/session/oidc/callback",
               {"finishOidcSignIn", "Return from the identity provider",
                "Opens a session and redirects to the console; after a failure to its login page "
                "with `?error=`."},
               {.params = http::Parameters<Answer>()
                              .query("code", &Answer::code, parameter, "Authorization code.")
                              .query("state", &Answer::state, parameter, "As sent.")
                              .query("error", &Answer::error, parameter, "Error of the provider.")
                              .query("iss", &Answer::issuer, parameter, "Issuer (RFC 9207)."),
                .status = 302,
                .facts = {.statuses = {404}}},
               finishSignIn);
}

}  // namespace spindle::identity
