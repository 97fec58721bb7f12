#include "identity/api/sdk_api.h"

#include "http/router/route_group.h"
#include "identity/api/api_for_test.h"
#include "json/escape.h"
#include "wire/spelling.h"

namespace spindle::identity {
namespace {

/// The routes over the real repositories, without a socket.
class SdkRoutes : public ApiTest<IdentityTest> {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    addSdkRoutes({router_, {teams_, access_, "1.2.3"}, http::RoutePolicy()});
    root_ = bearerOf(person("root", true));
    const Team acme = addAcme();
    app_id_ = project(acme, "app", users_.find(lead_id_).value()).id;
    headers_.add("Host", "spindle.test:8080");
  }

  std::string graphql(const std::string& bearer,
                      const std::string& document,
                      const std::string& variables = "null") {
    const http::Response response =
        send(http::Method::kPost, "/graphql", bearer,
             R"({"query":)" + json::quoted(document) + R"(,"variables":)" + variables + "}");
    EXPECT_EQ(response.status, 200) << response.body;
    return response.body;
  }

  std::string root_, app_id_;
};

using enum http::Method;

constexpr const char* kViewer =
    "query DefaultEntity { viewer { username defaultEntity { name } } }";
constexpr const char* kProject =
    "query Project($name: String!, $entityName: String!) { project { name } }";
constexpr const char* kUpsert =
    "mutation UpsertModel($name: String!, $entity: String!) { upsertModel { model { name } } }";
constexpr const char* kEntity = "query Entity($entityName: String!) { entity { readOnly } }";

TEST_P(SdkRoutes, ReturnTheSupportedClientVersions) {
  EXPECT_EQ(send(kGet, "/server_info", lead_).body,
            R"({"min_required_svc_python_version":"0.0.0","trace_server_version":"1.2.3"})");
  EXPECT_EQ(send(kGet, "/server_info", "").status, 401);
  headers_.add(wire::memberFor(wire::Spelling::kVendor, "X-Svc-Client-Capabilities"), "x");
  EXPECT_NE(
      send(kGet, "/server_info", lead_)
          .body.find(wire::memberFor(wire::Spelling::kVendor, "min_required_svc_python_version")),
      std::string::npos);
}

TEST_P(SdkRoutes, ReturnProjectIdsInRequestOrder) {
  const auto info = [this](const std::string& bearer, const std::string& ids) {
    return send(kPost, "/service/projects_info", bearer, R"({"project_ids":)" + ids + "}");
  };
  const std::string app =
      R"({"external_project_id":"acme/app","internal_project_id":")" + app_id_ + "\"}";
  EXPECT_EQ(info(lead_, R"(["acme/app","acme/app"])").body, "[" + app + "," + app + "]");
  EXPECT_EQ(info(viewer_, R"(["acme/app"])").body, "[" + app + "]");
  EXPECT_EQ(info(lead_, "[]").body, "[]");
  EXPECT_EQ(info(stranger_, R"(["acme/app"])").status, 404);
  EXPECT_EQ(info(lead_, R"(["acme/app","acme/other"])").status, 404);
  EXPECT_EQ(info(lead_, R"(["acme"])").status, 400);
  EXPECT_EQ(info(lead_, "7").status, 422);
}

TEST_P(SdkRoutes, ReturnTheViewerAndItsDefaultTeam) {
  EXPECT_EQ(graphql(lead_, kViewer),
            R"({"data":{"viewer":{"username":"lead","defaultEntity":{"name":"acme"}}}})");
  EXPECT_EQ(graphql(root_, kViewer),
            R"({"data":{"viewer":{"username":"root","defaultEntity":{"name":"root"}}}})");
  EXPECT_EQ(graphql(stranger_, kViewer),
            R"({"data":{"viewer":{"username":"stranger","defaultEntity":null}}})");
}

TEST_P(SdkRoutes, ReportWhetherAProjectExists) {
  const auto asked = [this](const std::string& bearer, const std::string& name) {
    return graphql(bearer, kProject, R"({"entityName":"acme","name":")" + name + "\"}");
  };
  EXPECT_EQ(asked(lead_, "app"), R"({"data":{"project":{"name":"app"}}})");
  EXPECT_EQ(asked(lead_, "new"), R"({"data":{"project":null}})");
  EXPECT_EQ(asked(stranger_, "app"), R"({"data":{"project":null}})");
  EXPECT_EQ(graphql(lead_, kProject), R"({"data":{"project":null}})");
}

TEST_P(SdkRoutes, CreateProjectsForCallersWithWriteAccess) {
  const std::string fresh = R"({"entity":"acme","name":"new","description":null})";
  EXPECT_EQ(graphql(lead_, kUpsert, fresh),
            R"({"data":{"upsertModel":{"model":{"name":"new","description":null}}}})");
  EXPECT_TRUE(projects_.find("acme", "new"));
  EXPECT_EQ(graphql(lead_, kUpsert, fresh),
            R"({"data":{"upsertModel":{"model":{"name":"new","description":null}}}})");
  for (const std::string& bearer : {stranger_, viewer_}) {
    const std::string refused = graphql(bearer, kUpsert, R"({"entity":"acme","name":"other"})");
    EXPECT_NE(refused.find(R"("extensions":{"code":"PERMISSION_ERROR"})"), std::string::npos)
        << refused;
  }
  EXPECT_FALSE(projects_.find("acme", "other"));
}

TEST_P(SdkRoutes, ReportWhetherATeamIsReadOnly) {
  const auto asked = [this](const std::string& bearer) {
    const std::string body = graphql(bearer, kEntity, R"({"entityName":"acme"})");
    return body.substr(body.find(R"("entity":)"));
  };
  EXPECT_EQ(asked(lead_), R"("entity":{"readOnly":false}}})");
  EXPECT_EQ(asked(viewer_), R"("entity":{"readOnly":true}}})");
  EXPECT_EQ(asked(stranger_), R"("entity":null}})");
}

TEST_P(SdkRoutes, ReturnTheOriginOfTheConsole) {
  EXPECT_EQ(graphql(lead_, "query ServerInfo { serverInfo { frontendHost } }"),
            R"({"data":{"serverInfo":{"frontendHost":"http://spindle.test:8080"}}})");
}

TEST_P(SdkRoutes, RejectOtherOperations) {
  EXPECT_EQ(graphql(lead_, "query Runs { runs { id } }"),
            R"({"data":null,"errors":[{"message":"Unknown operation: Runs"}]})");
  EXPECT_EQ(send(kPost, "/graphql", lead_, "{}").status, 422);
  EXPECT_EQ(send(kPost, "/graphql", "", "{}").status, 401);
}

TEST_P(SdkRoutes, PreferTheGivenOperationName) {
  EXPECT_EQ(send(kPost, "/graphql", lead_,
                 R"({"query":"query A { x } query B { x }","operationName":"DefaultEntity"})")
                .body.substr(0, 18),
            R"({"data":{"viewer":)");
}

SPINDLE_ON_BOTH_ENGINES(SdkRoutes);

}  // namespace
}  // namespace spindle::identity
