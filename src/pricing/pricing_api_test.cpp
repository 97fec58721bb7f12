#include "pricing/pricing_api.h"

#include <string>

#include "http/router/openapi.h"
#include "http/router/route_group.h"
#include "identity/api/api_for_test.h"
#include "json/document.h"
#include "pricing/migrations.h"
#include "pricing/price_repository.h"
#include "wire/spelling.h"

namespace spindle::pricing {
namespace {

/// Calls the routes with the real repositories, without a socket.
class PricingRoutes : public identity::ApiTest<identity::IdentityTest> {
 protected:
  void SetUp() override {
    database_->migrate({identity::identitySchema(), pricingSchema()}, clock_.now());
    addPricingRoutes({router_, {prices_, access_}, http::RoutePolicy()});
    addAcme();
  }

  http::Response post(const std::string& target,
                      const std::string& body,
                      const std::string& bearer) {
    return send(http::Method::kPost, target, bearer, body);
  }
  http::Response post(const std::string& target, const std::string& body) {
    return post(target, body, lead_);
  }

  /// Creates a price of the model and returns its id.
  std::string made(const std::string& llm_id, const std::string& more = "") {
    const http::Response response = post(
        "/cost/create", R"({"project_id":"acme/app","costs":{")" + llm_id +
                            R"(":{"prompt_token_cost":1,"completion_token_cost":2)" + more + "}}}");
    EXPECT_EQ(response.status, 200) << response.body;
    const auto parsed = json::Document::parse(response.body);
    const json::Node ids = *std::get<json::Document>(parsed).root().find("ids");
    EXPECT_EQ(ids.size(), 1U);
    const json::Node entry = *ids.begin();
    EXPECT_EQ(entry.size(), 2U);
    return (*entry.begin()).text();
  }

  std::string queried(const std::string& more) {
    return post("/cost/query", R"({"project_id":"acme/app")" + more + "}").body;
  }

  PriceRepository prices_{*database_, clock_};
};

TEST_P(PricingRoutes, ReturnIdsAndModelsInRequestOrder) {
  const http::Response response = post(
      "/cost/create",
      R"({"project_id":"acme/app","costs":{"z":{"prompt_token_cost":1,"completion_token_cost":2},)"
      R"("a":{"prompt_token_cost":-1,"completion_token_cost":0}}})");
  ASSERT_EQ(response.status, 200);
  const Result<identity::ProjectAccess> app = access_.readProject(lead_id_, "acme", "app");
  ASSERT_TRUE(app);
  const Result<std::vector<Price>> prices = prices_.ofProject(app->project_id);
  ASSERT_TRUE(prices);
  ASSERT_EQ(prices->size(), 2U);
  EXPECT_EQ(response.body,
            R"({"ids":[[")" + (*prices)[0].id + R"(","z"],[")" + (*prices)[1].id + R"(","a"]]})");
  EXPECT_EQ((*prices)[0].created_by, lead_id_);
}

TEST_P(PricingRoutes, IgnoreTheUserOfTheRequest) {
  for (const wire::Spelling spelling : {wire::Spelling::kNeutral, wire::Spelling::kVendor}) {
    const http::Response response =
        post("/cost/create", R"({"project_id":"acme/app","costs":{"m":{"prompt_token_cost":1,)"
                             R"("completion_token_cost":2}},")" +
                                 std::string(wire::memberFor(spelling, "svc_user_id")) +
                                 R"(":"someone"})");
    EXPECT_EQ(response.status, 200) << response.body;
  }
  EXPECT_EQ(queried(R"(,"fields":["llm_id"],"query":{"$expr":{"$eq":[{"$getField":"created_by"},)"
                    R"({"$literal":"someone"}]}})"),
            R"({"results":[]})");
}

TEST_P(PricingRoutes, AcceptAnEmptyMap) {
  EXPECT_EQ(post("/cost/create", R"({"project_id":"acme/app","costs":{}})").body, R"({"ids":[]})");
}

TEST_P(PricingRoutes, RejectUnknownMembersAtBothLevels) {
  const http::Response response = post(
      "/cost/create",
      R"({"project_id":"acme/app","colour":1,"costs":{"m":{"prompt_token_cost":1,"x":true}}})");
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.body,
            R"({"detail":[{"type":"missing","loc":["body","costs","m","completion_token_cost"],)"
            R"("msg":"Field required","input":{"prompt_token_cost":1,"x":true}},)"
            R"({"type":"extra_forbidden","loc":["body","costs","m","x"],)"
            R"("msg":"Extra inputs are not permitted","input":true},)"
            R"({"type":"extra_forbidden","loc":["body","colour"],)"
            R"("msg":"Extra inputs are not permitted","input":1}]})");
}

TEST_P(PricingRoutes, EnforceRoles) {
  const std::string create =
      R"({"project_id":"acme/app","costs":{"m":{"prompt_token_cost":1,"completion_token_cost":2}}})";
  EXPECT_EQ(statusesOf("/cost/create", create, {"", stranger_, lead_, viewer_}), "401 404 200 403");
  const std::string query = R"({"project_id":"acme/app"})";
  EXPECT_EQ(statusesOf("/cost/query", query, {stranger_, viewer_}), "404 200");
  const std::string purge =
      R"({"project_id":"acme/app","query":{"$expr":{"$eq":[{"$getField":"id"},{"$literal":"x"}]}}})";
  EXPECT_EQ(statusesOf("/cost/purge", purge, {stranger_, viewer_}), "404 403");
  EXPECT_EQ(post("/cost/purge", purge, lead_).body, "{}");
}

TEST_P(PricingRoutes, CheckTheSchemaBeforeAccess) {
  EXPECT_EQ(post("/cost/create", R"({"project_id":"acme/app"})", stranger_).status, 422);
  EXPECT_EQ(post("/cost/create", R"({"project_id":"acme","costs":{}})").status, 400);
}

TEST_P(PricingRoutes, ReturnTheRequestedFields) {
  const std::string id = made("m", R"(,"effective_date":"2024-01-01","provider_id":null,)"
                                   R"("prompt_token_cost_unit":null)");
  EXPECT_EQ(queried(""),
            R"({"results":[{"id":")" + id +
                R"(","llm_id":"m","prompt_token_cost":1.0,"completion_token_cost":2.0,)"
                R"("cache_read_input_token_cost":0.0,"cache_creation_input_token_cost":0.0,)"
                R"("prompt_token_cost_unit":"USD","completion_token_cost_unit":"USD",)"
                R"("effective_date":"2024-01-01T00:00:00Z","provider_id":"default"}]})");
  EXPECT_EQ(queried(R"(,"fields":["llm_id","created_at"])"),
            R"({"results":[{"id":null,"llm_id":"m","prompt_token_cost":null,)"
            R"("completion_token_cost":null,"cache_read_input_token_cost":null,)"
            R"("cache_creation_input_token_cost":null,"prompt_token_cost_unit":null,)"
            R"("completion_token_cost_unit":null,"effective_date":null,"provider_id":null}]})");
  EXPECT_EQ(queried(R"(,"fields":["colour"])"), R"({"reason":"Unknown field: colour"})");
  EXPECT_EQ(queried(R"(,"sort_by":[{"field":"colour","direction":"asc"}])"),
            R"({"reason":"Unknown field: colour"})");
  EXPECT_EQ(queried(R"(,"limit":-1)"), R"({"reason":"Limit must be a positive integer"})");
  EXPECT_EQ(queried(R"(,"limit":0)"), R"({"results":[]})");
}

TEST_P(PricingRoutes, ReturnNoPricesForANewProject) {
  EXPECT_EQ(post("/cost/query", R"({"project_id":"acme/nothing"})").body, R"({"results":[]})");
}

TEST_P(PricingRoutes, PurgeOnlyById) {
  const std::string first = made("a");
  const std::string second = made("b");
  const auto purge = [this](const std::string& expression) {
    return post("/cost/purge", R"({"project_id":"acme/app","query":{"$expr":)" + expression + "}}");
  };
  EXPECT_EQ(purge(R"({"$eq":[{"$getField":"llm_id"},{"$literal":"a"}]})").body,
            R"({"reason":"Can only purge costs by specifying one or more cost ids"})");
  EXPECT_EQ(purge(R"({"$eq":[{"$literal":"a"},{"$getField":"id"}]})").body,
            R"({"reason":"Expected key get_field_, got literal_"})");
  EXPECT_EQ(purge(R"({"$in":[{"$getField":"id"},[{"$literal":")" + first + R"("}]]})").status, 200);
  EXPECT_EQ(
      purge(R"({"$or":[{"$eq":[{"$getField":"id"},{"$literal":")" + second + R"("}]}]})").body,
      "{}");
  EXPECT_EQ(queried(""), R"({"results":[]})");
}

TEST_P(PricingRoutes, AppearInTheOpenApiDocument) {
  const std::string document = http::openApiDocument(router_, "Spindle", "1");
  EXPECT_NE(document.find("CostEntry"), std::string::npos);
}

SPINDLE_ON_BOTH_ENGINES(PricingRoutes);

}  // namespace
}  // namespace spindle::pricing
