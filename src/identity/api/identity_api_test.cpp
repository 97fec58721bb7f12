#include "identity/api/identity_api.h"

#include "http/router/route_group.h"
#include "identity/api/api_for_test.h"
#include "json/document.h"

namespace spindle::identity {
namespace {

/// The routes over the real repositories, without a socket.
class IdentityRoutes : public ApiTest<IdentityTest> {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    http::RoutePolicy policy;
    policy.errors = http::ErrorShape::kDetailWithCode;
    policy.idempotent_posts = true;
    addIdentityRoutes({router_, {users_, teams_, keys_, access_, preferences_}, policy});
    base_path_ = "/api/v1";
    root_ = bearerOf(person("root", true));
    addAcme();
  }

  /// Returns the statuses for a stranger, the viewer of the team, its admin, and root.
  std::string statuses(http::Method method,
                       const std::string& target,
                       const std::string& body = "") {
    std::string text;
    for (const std::string& bearer : {stranger_, viewer_, lead_, root_}) {
      text += std::to_string(send(method, target, bearer, body).status) + " ";
    }
    return text;
  }

  static std::string member(const http::Response& response, std::string_view name) {
    const auto parsed = json::Document::parse(response.body);
    const auto& document = std::get<json::Document>(parsed);
    const std::optional<json::Node> found = document.root().find(name);
    if (!found) return "absent";
    return found->isString() ? found->text() : std::string(found->raw());
  }

  std::string root_;
};

using enum http::Method;

TEST_P(IdentityRoutes, EnforceRoles) {
  EXPECT_EQ(statuses(kGet, "/me"), "200 200 200 200 ");
  EXPECT_EQ(statuses(kGet, "/users"), "403 403 403 200 ");
  EXPECT_EQ(statuses(kGet, "/teams/acme"), "404 200 200 200 ");
  EXPECT_EQ(statuses(kPatch, "/teams/acme", R"({"ttl_permission":"admins"})"), "404 403 200 200 ");
  EXPECT_EQ(statuses(kGet, "/teams/acme/members"), "404 200 200 200 ");
  EXPECT_EQ(statuses(kPut, "/teams/acme/members/stranger", R"({"role":"boss"})"),
            "422 422 422 422 ");
  EXPECT_EQ(statuses(kDelete, "/teams/acme/members/nobody"), "404 403 404 404 ");
  EXPECT_EQ(statuses(kDelete, "/teams/acme"), "404 403 403 204 ");
}

TEST_P(IdentityRoutes, ShowTheCallerWithItsTeams) {
  const http::Response me = send(kGet, "/me", lead_);
  EXPECT_EQ(member(me, "username"), "lead");
  EXPECT_EQ(member(me, "memberships"), R"([{"team":"acme","role":"ADMIN","pending":false}])");
  EXPECT_EQ(member(me, "default_team"), "acme");
  EXPECT_EQ(member(send(kGet, "/me", stranger_), "default_team"), "null");
}

TEST_P(IdentityRoutes, KeepTheLastAdmin) {
  const http::Response refused = send(kDelete, "/teams/acme/members/lead", lead_);
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(member(refused, "code"), "last_admin");
  EXPECT_EQ(send(kPut, "/teams/acme/members/viewer", lead_, R"({"role":"ADMIN"})").status, 200);
  EXPECT_EQ(send(kDelete, "/teams/acme/members/lead", lead_).status, 204);
  EXPECT_EQ(send(kGet, "/teams/acme", lead_).status, 404);
}

TEST_P(IdentityRoutes, CheckIfMatch) {
  const std::string etag(send(kGet, "/teams/acme", lead_).headers.get("ETag"));
  headers_.set("If-Match", etag);
  const http::Response changed =
      send(kPatch, "/teams/acme", lead_, R"({"default_artifact_ttl_days":30})");
  EXPECT_EQ(changed.status, 200);
  EXPECT_NE(changed.headers.get("ETag"), etag);
  EXPECT_EQ(send(kPatch, "/teams/acme", lead_, R"({"default_artifact_ttl_days":null})").status,
            412);
  EXPECT_EQ(member(send(kGet, "/teams/acme", lead_), "default_artifact_ttl_days"), "30");
}

TEST_P(IdentityRoutes, RejectARevokedKeyAtTheNextRequest) {
  const http::Response made = send(kPost, "/api-keys", lead_, R"({"name":"laptop"})");
  ASSERT_EQ(made.status, 201);
  const std::string bearer = "Bearer " + member(made, "key");
  EXPECT_EQ(send(kGet, "/me", bearer).status, 200);
  EXPECT_EQ(send(kDelete, "/api-keys/" + member(made, "id"), stranger_).status, 404);
  EXPECT_EQ(send(kDelete, "/api-keys/" + member(made, "id"), lead_).status, 204);
  EXPECT_EQ(send(kGet, "/me", bearer).status, 401);
  EXPECT_EQ(send(kDelete, "/api-keys/" + member(made, "id"), lead_).status, 404);
}

TEST_P(IdentityRoutes, ReturnTheKeyOfAServiceAccountOnce) {
  const http::Response made =
      send(kPost, "/teams/acme/service-accounts", lead_, R"({"description":"ci"})");
  ASSERT_EQ(made.status, 201);
  const std::string bearer = "Bearer " + member(made, "api_key");
  EXPECT_EQ(member(send(kGet, "/me", bearer), "kind"), "service");
  EXPECT_EQ(send(kPost, "/teams/acme/service-accounts", lead_,
                 R"({"description":"all","scope":"organization"})")
                .status,
            403);
  EXPECT_EQ(statuses(kPost, "/teams/acme/service-accounts", R"({"description":"ci"})"),
            "404 403 409 409 ");
}

TEST_P(IdentityRoutes, ExecuteAnIdempotentPostOnce) {
  headers_.set("Idempotency-Key", "one");
  const http::Response first = send(kPost, "/api-keys", lead_, R"({"name":"once"})");
  const http::Response again = send(kPost, "/api-keys", lead_, R"({"name":"once"})");
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(again.headers.get("Idempotency-Replayed"), "true");
  const http::Response other = send(kPost, "/api-keys", lead_, R"({"name":"twice"})");
  EXPECT_EQ(other.status, 422);
  EXPECT_NE(other.body.find("idempotency_key_reused"), std::string::npos);
}

TEST_P(IdentityRoutes, PageThroughAllItemsOnce) {
  for (int i = 0; i < 7; ++i) person("p" + std::to_string(i));
  std::string cursor;
  std::size_t seen = 0;
  int pages = 0;
  do {
    const http::Response page = send(kGet, "/users?limit=4&cursor=" + cursor, root_);
    const auto parsed = json::Document::parse(page.body);
    seen += std::get<json::Document>(parsed).root().find("items")->size();
    cursor = member(page, "next_cursor");
    ++pages;
  } while (cursor != "null");
  EXPECT_EQ(seen, 11U);
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(send(kGet, "/users?cursor=nonsense", root_).status, 422);
}

SPINDLE_ON_BOTH_ENGINES(IdentityRoutes);

}  // namespace
}  // namespace spindle::identity
