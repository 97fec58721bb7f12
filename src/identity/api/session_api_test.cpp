#include "identity/api/session_api.h"

#include "http/router/route_group.h"
#include "identity/api/api_for_test.h"
#include "identity/api/identity_api.h"
#include "identity/api/session_token_authenticator.h"
#include "identity/store/credential_repository.h"
#include "identity/store/session_repository.h"
#include "json/document.h"

namespace spindle::identity {
namespace {

using enum http::Method;
using std::chrono::hours;

/// The routes over the real repositories, with requests of a browser.
class SessionRouteTest : public ApiTest<IdentityTest> {
 protected:
  struct Browser {
    std::string cookie;
    std::string csrf;
  };

  void SetUp() override {
    ApiTest::SetUp();
    http::RoutePolicy policy;
    policy.errors = http::ErrorShape::kDetailWithCode;
    policy.json_type_required = true;
    policy.idempotent_posts = true;
    addIdentityRoutes({browser_router_, {users_, teams_, keys_, access_, preferences_}, policy});
    addSessionRoutes(
        {browser_router_,
         {users_, access_, sessions_, sign_in_, cookies_, clock_, session_authenticator_.times()},
         policy});
    ada_ = person("ada");
  }

  http::Response ask(http::Method method,
                     const std::string& target,
                     const std::string& body = "",
                     const Browser& browser = {}) {
    http::Request request;
    request.method = method;
    request.target = "/api/v1" + target;
    request.body = body;
    request.headers = headers_;
    request.headers.add("Host", "localhost:8080");
    if (headers_.find("Sec-Fetch-Site") == nullptr) {
      request.headers.add("Sec-Fetch-Site", "same-origin");
    }
    if (!browser.cookie.empty()) request.headers.add("Cookie", "spindle=" + browser.cookie);
    if (!browser.csrf.empty()) request.headers.add("X-CSRF-Token", browser.csrf);
    return browser_router_.handle(request);
  }

  static std::string member(const http::Response& response, std::string_view name) {
    const auto parsed = json::Document::parse(response.body);
    const auto* document = std::get_if<json::Document>(&parsed);
    if (document == nullptr) return "not JSON";
    const std::optional<json::Node> found = document->root().find(name);
    if (!found) return "absent";
    return found->isString() ? found->text() : std::string(found->raw());
  }

  static Browser browserOf(const http::Response& response) {
    const std::string_view field = response.headers.get("Set-Cookie");
    const std::size_t begin = field.find('=') + 1;
    return {std::string(field.substr(begin, field.find(';') - begin)),
            member(response, "csrf_token")};
  }

  Browser signIn(const User& user) {
    const Secret code = *credentials_.issueCode(user.id);
    const http::Response response =
        ask(kPost, "/session", R"({"code":")" + std::string(code.reveal()) + R"("})");
    EXPECT_EQ(response.status, 201) << response.body;
    return browserOf(response);
  }

  SessionRepository sessions_{*database_, clock_, sha256("sessions")};
  CredentialRepository credentials_{*database_, clock_, sha256("codes")};
  PasswordHasher passwords_{sha256("passwords"), ScryptCost{4, 1, 1}};
  identity::SessionAuthenticator session_authenticator_{sessions_, clock_, sha256("csrf")};
  SessionTokenAuthenticator session_tokens_{session_authenticator_};
  http::Site site_{{}};
  http::SessionCookies cookies_{site_, session_tokens_};
  SignIn sign_in_{
      {users_, keys_, sessions_, credentials_, authenticator_, passwords_, clock_, clock_},
      session_authenticator_.times()};
  http::Router browser_router_{
      http::RouterPorts{&authentication_, &idempotency_records_, nullptr, &cookies_}};
  User ada_;
};

TEST_P(SessionRouteTest, OpenShowAndEndASession) {
  const Browser ada = signIn(ada_);
  EXPECT_EQ(ada.csrf, session_authenticator_.csrfTokenOf(ada.cookie));
  const http::Response shown = ask(kGet, "/session", "", ada);
  EXPECT_EQ(shown.status, 200);
  EXPECT_EQ(member(shown, "username"), "ada");
  EXPECT_EQ(member(shown, "csrf_token"), ada.csrf);
  EXPECT_EQ(shown.headers.get("Cache-Control"), "no-store");
  EXPECT_EQ(member(ask(kGet, "/me", "", ada), "username"), "ada");
  const http::Response ended = ask(kDelete, "/session", "", ada);
  EXPECT_EQ(ended.status, 204);
  EXPECT_EQ(ended.headers.get("Set-Cookie"), "spindle=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
  EXPECT_EQ(ask(kGet, "/session", "", ada).status, 401);
}

TEST_P(SessionRouteTest, RefuseOtherSites) {
  const Browser ada = signIn(ada_);
  Browser without_token = ada;
  without_token.csrf.clear();
  const http::Response refused = ask(kPost, "/api-keys", R"({"name":"x"})", without_token);
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(member(refused, "code"), "csrf_token");
  headers_.set("Sec-Fetch-Site", "cross-site");
  EXPECT_EQ(member(ask(kPost, "/api-keys", R"({"name":"x"})", ada), "code"), "cross_site");
  EXPECT_EQ(member(ask(kGet, "/me", "", ada), "code"), "cross_site");
  EXPECT_EQ(member(ask(kPost, "/session", R"({"api_key":"x"})"), "code"), "cross_site");
  EXPECT_TRUE(keys_.list(ada_.id, {})->items.empty());
}

TEST_P(SessionRouteTest, JudgeARequestWithAKeyByTheKeyAlone) {
  const Browser ada = signIn(ada_);
  headers_.set("Sec-Fetch-Site", "cross-site");
  headers_.set("Authorization", bearerOf(person("bob")));
  EXPECT_EQ(member(ask(kGet, "/me", "", ada), "username"), "bob");
  EXPECT_EQ(ask(kPost, "/api-keys", R"({"name":"x"})", ada).status, 201);
  const http::Response shown = ask(kGet, "/session", "", ada);
  EXPECT_EQ(member(shown, "username"), "bob");
  EXPECT_EQ(member(shown, "csrf_token"), "null");
  EXPECT_EQ(ask(kDelete, "/session", "", ada).status, 404);
  headers_.set("Authorization", "Bearer wrong-key-0123456789012345");
  EXPECT_EQ(ask(kGet, "/me", "", ada).status, 401) << "no fallback to the cookie";
}

TEST_P(SessionRouteTest, ReplaceTheFormerSessionOfABrowser) {
  const Browser former = signIn(ada_);
  const Secret code = *credentials_.issueCode(ada_.id);
  const http::Response again =
      ask(kPost, "/session", R"({"code":")" + std::string(code.reveal()) + R"("})", former);
  EXPECT_EQ(again.status, 201);
  EXPECT_NE(browserOf(again).cookie, former.cookie);
  EXPECT_EQ(ask(kGet, "/session", "", former).status, 401);
  EXPECT_EQ(ask(kGet, "/session", "", browserOf(again)).status, 200);
}

TEST_P(SessionRouteTest, NeverSignInAPlantedCookie) {
  const Browser planted{std::string(newSessionToken().reveal()), ""};
  const Secret code = *credentials_.issueCode(ada_.id);
  const http::Response response =
      ask(kPost, "/session", R"({"code":")" + std::string(code.reveal()) + R"("})", planted);
  EXPECT_EQ(response.status, 201);
  EXPECT_NE(browserOf(response).cookie, planted.cookie);
  EXPECT_EQ(ask(kGet, "/session", "", planted).status, 401);
}

TEST_P(SessionRouteTest, RefuseWrongAndAmbiguousCredentials) {
  for (const std::string body :
       {R"({})", R"({"username":"ada"})", R"({"password":"p"})", R"({"api_key":"k","code":"c"})",
        R"({"api_key":"k","username":"ada","password":"p"})", R"({"token":"x"})",
        R"({"api_key":""})", R"({"api_key":7})", R"([])"}) {
    EXPECT_EQ(ask(kPost, "/session", body).status, 422) << body;
  }
  for (const std::string body : {R"({"api_key":"not-a-key-but-long-enough"})",
                                 R"({"username":"ada","password":"p"})", R"({"code":"unknown"})"}) {
    const http::Response refused = ask(kPost, "/session", body);
    EXPECT_EQ(refused.status, 401) << body;
    EXPECT_EQ(member(refused, "code"), "invalid_credentials");
    EXPECT_EQ(refused.headers.get("WWW-Authenticate"), "Bearer");
    EXPECT_EQ(refused.headers.find("Set-Cookie"), nullptr);
  }
}

TEST_P(SessionRouteTest, NeverRepeatASecretInAnError) {
  const Browser ada = signIn(ada_);
  const http::Response short_one = ask(kPut, "/me/password", R"({"new_password":"hunter2"})", ada);
  EXPECT_EQ(short_one.status, 422);
  EXPECT_EQ(short_one.body.find("hunter2"), std::string::npos) << short_one.body;
  const http::Response extra =
      ask(kPost, "/session", R"({"api_key":"secret-text","more":"secret-text"})");
  EXPECT_EQ(extra.status, 422);
  EXPECT_EQ(extra.body.find("secret-text"), std::string::npos) << extra.body;
}

TEST_P(SessionRouteTest, ShowOnlyOwnSessionsToOthersThanAdmins) {
  const User bob = person("bob");
  const User root = person("root", true);
  const Browser ada = signIn(ada_);
  const Browser other = signIn(bob);
  const Browser admin = signIn(root);
  const http::Response own = ask(kGet, "/sessions", "", ada);
  EXPECT_NE(own.body.find(R"("current":true)"), std::string::npos) << own.body;
  const std::string id = session_authenticator_.authenticate(ada.cookie)->session_id;
  EXPECT_NE(own.body.find(id), std::string::npos);
  EXPECT_EQ(ask(kGet, "/sessions?username=ada", "", ada).status, 200);
  EXPECT_EQ(ask(kGet, "/sessions?username=ada", "", other).status, 403);
  EXPECT_EQ(ask(kGet, "/sessions?username=nobody", "", other).status, 403);
  EXPECT_EQ(ask(kGet, "/sessions?username=nobody", "", admin).status, 404);
  EXPECT_EQ(ask(kGet, "/sessions?username=ada", "", admin).status, 200);
  EXPECT_EQ(ask(kDelete, "/sessions/" + id, "", other).status, 404);
  EXPECT_EQ(ask(kDelete, "/sessions/" + id, "", admin).status, 204);
  EXPECT_EQ(ask(kGet, "/session", "", ada).status, 401);
}

TEST_P(SessionRouteTest, KeepTheCallerSignedInAfterANewPassword) {
  const Browser first = signIn(ada_);
  const Browser second = signIn(ada_);
  const http::Response changed =
      ask(kPut, "/me/password", R"({"new_password":"a long password"})", first);
  EXPECT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(ask(kGet, "/session", "", first).status, 401);
  EXPECT_EQ(ask(kGet, "/session", "", second).status, 401);
  const Browser renewed = browserOf(changed);
  EXPECT_EQ(ask(kGet, "/session", "", renewed).status, 200);
  const http::Response refused =
      ask(kPut, "/me/password", R"({"new_password":"another password"})", renewed);
  EXPECT_EQ(member(refused, "code"), "wrong_password");
  EXPECT_EQ(ask(kPost, "/session", R"({"username":"ada","password":"a long password"})").status,
            201);
}

TEST_P(SessionRouteTest, LetAdminsSetPasswordsOfOthers) {
  const User root = person("root", true);
  const Browser admin = signIn(root);
  const Browser ada = signIn(ada_);
  const std::string body = R"({"new_password":"a long password"})";
  EXPECT_EQ(ask(kPut, "/users/root/password", body, ada).status, 404);
  EXPECT_EQ(ask(kPut, "/users/nobody/password", body, ada).status, 404);
  EXPECT_EQ(ask(kPut, "/users/nobody/password", body, admin).status, 404);
  EXPECT_EQ(member(ask(kPut, "/users/root/password", body, admin), "code"), "own_password");
  EXPECT_EQ(ask(kPut, "/users/ada/password", body, admin).status, 204);
  EXPECT_EQ(ask(kGet, "/session", "", ada).status, 401);
}

TEST_P(SessionRouteTest, ExpireSessions) {
  const Browser ada = signIn(ada_);
  clock_.advance(hours(11));
  EXPECT_EQ(ask(kGet, "/session", "", ada).status, 200);
  clock_.advance(hours(12));
  EXPECT_EQ(ask(kGet, "/session", "", ada).status, 401);
}

SPINDLE_ON_BOTH_ENGINES(SessionRouteTest);

}  // namespace
}  // namespace spindle::identity
