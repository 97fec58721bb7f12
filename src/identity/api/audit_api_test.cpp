#include "identity/api/audit_api.h"

#include "http/router/route_group.h"
#include "identity/api/api_for_test.h"
#include "identity/api/audit_csv.h"

namespace spindle::identity {
namespace {

class AuditApiTest : public ApiTest<IdentityTest> {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    http::RoutePolicy policy;
    policy.errors = http::ErrorShape::kDetailWithCode;
    addAuditRoutes({router_, {audit_, teams_, access_}, policy});
    base_path_ = "/api/v1";
    root_ = bearerOf(person("root", true));
    acme_ = addAcme();
  }
  http::Response get(const std::string& target, const std::string& bearer) {
    return send(http::Method::kGet, target, bearer);
  }
  std::string statuses(const std::string& target) {
    std::string text;
    for (const std::string& bearer : {stranger_, viewer_, lead_, root_}) {
      text += std::to_string(get(target, bearer).status) + " ";
    }
    return text;
  }

  Team acme_;
  std::string root_;
};

TEST_P(AuditApiTest, IsForAdmins) {
  EXPECT_EQ(statuses("/audit"), "403 403 200 200 ");
  EXPECT_EQ(statuses("/audit/export"), "403 403 200 200 ");
  EXPECT_EQ(statuses("/audit?team=acme"), "404 403 200 200 ");
  EXPECT_EQ(statuses("/audit/export?team=acme"), "404 403 200 200 ");
  EXPECT_EQ(statuses("/audit?team=none"), "404 404 404 200 ");
  EXPECT_EQ(statuses("/audit?since=never"), "422 422 422 422 ");
  EXPECT_EQ(statuses("/audit/export?format=xml"), "422 422 422 422 ");
  EXPECT_EQ(get("/audit?cursor=x", root_).status, 422);
}

TEST_P(AuditApiTest, TeamAdminsSeeTheirTeamOnly) {
  team("rival", person("rival"));
  const std::string seen = get("/audit", lead_).body;
  EXPECT_NE(seen.find("team.create"), std::string::npos);
  EXPECT_EQ(seen.find("rival"), std::string::npos);
  EXPECT_EQ(seen.find("user.create"), std::string::npos);
  EXPECT_NE(get("/audit", root_).body.find("rival"), std::string::npos);
}

TEST(AuditCsv, QuotesFieldsAndEscapesFormulas) {
  AuditEntry entry;
  entry.id = "aud_1";
  entry.created_at = timestampOfMicros(0);
  entry.actor = "=cmd|'x'!A1";
  entry.action = "user.create";
  entry.target_name = "a \"quoted\", name";
  std::string line;
  appendAuditCsv(entry, line);
  EXPECT_EQ(line,
            "\"aud_1\",\"1970-01-01T00:00:00Z\",\"'=cmd|'x'!A1\",\"\",\"\",\"user.create\","
            "\"user\",\"\",\"a \"\"quoted\"\", name\",\"\",\"\",\"\",\"\",\"\",\"\"\r\n");
}

SPINDLE_ON_BOTH_ENGINES(AuditApiTest);

}  // namespace
}  // namespace spindle::identity
