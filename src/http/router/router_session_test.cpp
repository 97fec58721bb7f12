#include <gtest/gtest.h>

#include "base/core/no_blocking.h"
#include "http/router/route_group.h"
#include "http/router/router.h"

namespace spindle::http {
namespace {

constexpr std::string_view kCookie = "spindle=the-session";

class OneSession final : public SessionAuthenticator {
 public:
  Result<Principal> authenticate(std::string_view token) const override {
    if (forgetful && NoBlocking::forbids()) return Error::unavailable("Not on this thread.");
    if (token != "the-session") return Error::unauthenticated();
    Principal principal;
    principal.user_id = "usr_1";
    principal.key_id = "session:usr_1";
    principal.session_id = "ses_1";
    return principal;
  }
  std::string csrfTokenOf(std::string_view token) const override {
    return "csrf-" + std::string(token);
  }

  bool forgetful = false;  ///< cannot check a session without blocking
};

/// A router whose only credential is a session. Each route counts its calls.
class RouterSessionTest : public ::testing::Test {
 protected:
  RouterSessionTest() {
    add(Method::kGet, "/read", Credentials::kBasicOrBearer);
    add(Method::kPost, "/change", Credentials::kBasicOrBearer);
    add(Method::kPost, "/v1/change", Credentials::kBearer);
    add(Method::kGet, "/open", Credentials::kOpen);
    add(Method::kPost, "/open", Credentials::kOpen);
    add(Method::kPost, "/optional", Credentials::kOptional);
    add(Method::kPost, "/sign-in", Credentials::kOpen).policy.own_pages_only = true;
  }

  Route& add(Method method, std::string path, Credentials credentials) {
    Route route;
    route.method = method;
    route.path = std::move(path);
    route.policy.credentials = credentials;
    route.policy.errors = ErrorShape::kDetailWithCode;
    route.policy.idempotent_posts = true;
    route.run = [this](const Context& context) {
      ++calls_;
      session_ = context.request.principal ? context.request.principal->session_id : "nobody";
      Response response;
      response.headers.add("Content-Type", type_);
      response.body = "content";
      return response;
    };
    return router_.addRoute(std::move(route));
  }

  static Request request(Method method, std::string target) {
    Request request;
    request.method = method;
    request.target = std::move(target);
    request.headers.add("Host", "localhost:8080");
    request.headers.add("Sec-Fetch-Site", "same-origin");
    return request;
  }
  static Request withSession(Method method, std::string target) {
    Request made = request(method, std::move(target));
    made.headers.add("Cookie", kCookie);
    if (method != Method::kGet) made.headers.add("X-CSRF-Token", "csrf-the-session");
    return made;
  }

  /// Returns the status, which admit() and handle() must agree on.
  int statusOf(const Request& sent) {
    Request copy = sent;
    const Admission admission = router_.admit(copy);
    const int status = router_.handle(copy).status;
    if (status == 401 || status == 403) {
      EXPECT_TRUE(admission.refusal && admission.refusal->status == status) << sent.target;
    } else {
      EXPECT_FALSE(admission.refusal) << sent.target;
    }
    return status;
  }

  OneSession sessions_;
  Site site_{{}};
  SessionCookies cookies_{site_, sessions_};
  Router router_{RouterPorts{nullptr, nullptr, nullptr, &cookies_}};
  int calls_ = 0;
  std::string session_;
  std::string type_ = "application/json";
};

TEST_F(RouterSessionTest, AcceptsASessionOnEveryRouteThatNeedsACredential) {
  for (const auto& [method, target] : {std::pair(Method::kGet, "/read"),
                                       {Method::kPost, "/change"},
                                       {Method::kPost, "/v1/change"},
                                       {Method::kPost, "/optional"}}) {
    EXPECT_EQ(statusOf(withSession(method, target)), 200) << target;
    EXPECT_EQ(session_, "ses_1") << target;
  }
}

TEST_F(RouterSessionTest, RefusesOtherSitesOnEveryRoute) {
  for (const char* target : {"/change", "/v1/change", "/open", "/optional", "/sign-in", "/none"}) {
    Request cross = withSession(Method::kPost, target);
    cross.headers.set("Sec-Fetch-Site", "cross-site");
    EXPECT_EQ(statusOf(cross), 403) << target;
    Request rebound = withSession(Method::kPost, target);
    rebound.headers.set("Host", "evil.example");
    EXPECT_EQ(statusOf(rebound), 403) << target;
    if (std::string_view(target) == "/sign-in") continue;
    Request untold = withSession(Method::kPost, target);
    untold.headers.remove("X-CSRF-Token");
    EXPECT_EQ(statusOf(untold), 403) << target;
  }
  EXPECT_EQ(calls_, 0);
}

TEST_F(RouterSessionTest, IgnoresTheCookieOnOpenReads) {
  Request cross = withSession(Method::kGet, "/open");
  cross.headers.set("Sec-Fetch-Site", "cross-site");
  EXPECT_EQ(statusOf(cross), 200);
  EXPECT_EQ(session_, "nobody");
}

TEST_F(RouterSessionTest, NeedsNoTokenToSignInFromAnOwnPage) {
  EXPECT_EQ(statusOf(request(Method::kPost, "/sign-in")), 200);
  Request again = withSession(Method::kPost, "/sign-in");
  again.headers.remove("X-CSRF-Token");
  EXPECT_EQ(statusOf(again), 200) << "with the cookie of an ended session";
  Request program = request(Method::kPost, "/sign-in");
  program.headers.remove("Sec-Fetch-Site");
  EXPECT_EQ(statusOf(program), 403);
}

TEST_F(RouterSessionTest, LetsAnOptionalCredentialBeAbsentButNotWrong) {
  EXPECT_EQ(statusOf(request(Method::kPost, "/optional")), 200);
  EXPECT_EQ(session_, "nobody");
  Request ended = request(Method::kPost, "/optional");
  ended.headers.add("Cookie", "spindle=ended");
  ended.headers.add("X-CSRF-Token", "csrf-ended");
  EXPECT_EQ(statusOf(ended), 200);
  EXPECT_EQ(session_, "nobody");
  for (const std::string_view field : {"Bearer wrong", "Bearer", ""}) {
    Request wrong = request(Method::kPost, "/optional");
    wrong.headers.add("Authorization", field);
    EXPECT_EQ(statusOf(wrong), 401) << field;
  }
}

TEST_F(RouterSessionTest, OffersPagesNoDialogOfTheBrowser) {
  Request ended = request(Method::kGet, "/read");
  EXPECT_EQ(router_.handle(ended).headers.get("WWW-Authenticate"), "Bearer");
  Request program = request(Method::kGet, "/read");
  program.headers.remove("Sec-Fetch-Site");
  EXPECT_EQ(router_.handle(program).headers.get("WWW-Authenticate"), "Bearer, Basic realm=\"svc\"");
}

TEST_F(RouterSessionTest, ChecksASessionOnAWorkerIfThatBlocks) {
  sessions_.forgetful = true;
  Request sent = withSession(Method::kPost, "/change");
  const Admission pending = router_.admit(sent);
  EXPECT_TRUE(pending.credential_pending);
  EXPECT_FALSE(pending.presumed) << "never seen before";
  EXPECT_FALSE(router_.checkCredential(sent));
  ASSERT_TRUE(sent.principal);
  EXPECT_TRUE(router_.admit(withSession(Method::kPost, "/change")).presumed);
  Request cross = withSession(Method::kPost, "/change");
  cross.headers.set("Sec-Fetch-Site", "cross-site");
  EXPECT_EQ(router_.admit(cross).refusal->status, 403) << "without blocking";
  Request key = request(Method::kPost, "/change");
  key.headers.add("Authorization", "Bearer the-session");
  EXPECT_FALSE(router_.admit(key).presumed) << "a token is no API key";
}

TEST_F(RouterSessionTest, ConfinesStoredContent) {
  for (const char* type :
       {"text/html", "image/svg+xml", "application/octet-stream", "text/plain"}) {
    type_ = type;
    Request sent = withSession(Method::kGet, "/read");
    const Response response = router_.handle(sent);
    EXPECT_EQ(response.headers.get("Content-Security-Policy"), "default-src 'none'; sandbox");
    EXPECT_EQ(response.headers.get("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(response.headers.get("Cache-Control"), "no-store");
  }
  for (const char* type : {"application/json", "application/jsonl", "text/event-stream"}) {
    type_ = type;
    Request open = request(Method::kGet, "/open");
    const Response response = router_.handle(open);
    EXPECT_EQ(response.headers.find("Content-Security-Policy"), nullptr) << type;
    EXPECT_EQ(response.headers.find("Cache-Control"), nullptr) << type;
  }
}

TEST_F(RouterSessionTest, RunsOpenPostsWithAnIdempotencyKeyEveryTime) {
  Request open = request(Method::kPost, "/open");
  open.headers.add("Idempotency-Key", "once");
  EXPECT_EQ(router_.handle(open).status, 200);
  EXPECT_EQ(router_.handle(open).status, 200);
  EXPECT_EQ(calls_, 2);
}

}  // namespace
}  // namespace spindle::http
