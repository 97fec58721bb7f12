#include "http/browser/session_cookies.h"

#include <gtest/gtest.h>

#include "http/message/origin.h"

namespace spindle::http {
namespace {

class Sessions final : public SessionAuthenticator {
 public:
  Result<Principal> authenticate(std::string_view /*token*/) const override { return Principal(); }
  std::string csrfTokenOf(std::string_view token) const override {
    return "csrf-of-" + std::string(token);
  }
};

class SessionCookiesTest : public ::testing::Test {
 protected:
  SessionCookiesTest() {
    request_.headers.add("Host", "localhost:8080");
    request_.peer_address = "127.0.0.1";
  }

  std::string problem(Method method) {
    request_.method = method;
    const std::optional<Error> found = cookies_.problemOf(request_, "t");
    return found ? found->reason() : "";
  }

  const Site site_{{.trusted_proxies = {"127.0.0.1"}}};
  const Sessions sessions_;
  const SessionCookies cookies_{site_, sessions_};
  Request request_;
};

TEST_F(SessionCookiesTest, HaveANameForEachKindOfDeployment) {
  request_.headers.add("Cookie", "spindle=http; __Secure-spindle=prefix; __Host-spindle=root");
  EXPECT_EQ(cookies_.tokenOf(request_), "http");
  EXPECT_EQ(cookies_.storingField(request_, "v", std::chrono::seconds(5)),
            "spindle=v; Path=/; Max-Age=5; HttpOnly; SameSite=Lax");
  request_.headers.add("X-Forwarded-Proto", "https");
  EXPECT_EQ(cookies_.tokenOf(request_), "root");
  EXPECT_EQ(cookies_.storingField(request_, "v", std::chrono::seconds(5)),
            "__Host-spindle=v; Path=/; Max-Age=5; HttpOnly; SameSite=Lax; Secure");
  request_.headers.add(kForwardedPrefix, "/tools");
  EXPECT_EQ(cookies_.tokenOf(request_), "prefix");
  EXPECT_EQ(cookies_.removingField(request_),
            "__Secure-spindle=; Path=/tools/; Max-Age=0; HttpOnly; SameSite=Lax; Secure");
}

TEST_F(SessionCookiesTest, CountOnlyWithoutAnotherCredential) {
  request_.headers.add("Cookie", "spindle=token");
  EXPECT_EQ(cookies_.tokenOf(request_), "token");
  for (const std::string_view header : {"authorization", "svcp-api-key"}) {
    Request request = request_;
    request.headers.add(header, "");
    EXPECT_EQ(cookies_.tokenOf(request), "") << header;
  }
}

TEST_F(SessionCookiesTest, NeedTheTokenOfTheirSessionForChanges) {
  request_.headers.add("Sec-Fetch-Site", "same-origin");
  EXPECT_EQ(problem(Method::kGet), "");
  EXPECT_EQ(problem(Method::kHead), "");
  for (const Method method : {Method::kPost, Method::kPut, Method::kPatch, Method::kDelete,
                              Method::kOptions, Method::kOther}) {
    EXPECT_EQ(problem(method), "csrf_token") << nameOf(method);
  }
  for (const std::string_view token : {"", "csrf-of-other", "csrf-of-t2", "CSRF-OF-T", "t"}) {
    request_.headers.set("X-CSRF-Token", token);
    EXPECT_EQ(problem(Method::kPost), "csrf_token") << token;
  }
  request_.headers.set("X-CSRF-Token", "csrf-of-t");
  EXPECT_EQ(problem(Method::kPost), "");
  request_.headers.set("Sec-Fetch-Site", "cross-site");
  EXPECT_EQ(problem(Method::kPost), "cross_site") << "a valid token is not enough";
  request_.headers.set("Host", "evil.example");
  EXPECT_EQ(problem(Method::kPost), "foreign_host");
  EXPECT_EQ(problem(Method::kGet), "foreign_host");
}

}  // namespace
}  // namespace spindle::http
