#include "automation/api/automation_api.h"

#include <algorithm>

#include "automation/api/automation_service.h"
#include "automation/api/delivery_service.h"
#include "automation/api/event_service.h"
#include "automation/webhooks/automation_for_test.h"
#include "automation/webhooks/webhook_client.h"
#include "automation/webhooks/webhook_probe.h"
#include "events/outbox.h"
#include "http/client/client.h"
#include "http/router/rate_limiter.h"
#include "http/router/route_group.h"
#include "http/testing/scripted_server.h"
#include "identity/api/api_for_test.h"
#include "json/document.h"
#include "registry/repositories/collection_repository.h"
#include "registry/repositories/registry_access.h"
#include "registry/repositories/registry_repository.h"

namespace spindle::automation {
namespace {

using enum http::Method;
using http::ScriptedServer;

/// Fixture with the routes and the real repositories, without a server socket.
class AutomationApiTest : public identity::ApiTest<AutomationContract> {
 protected:
  using AutomationContract::lead_;

  void SetUp() override {
    AutomationContract::SetUp();
    base_path_ = "/api/v1";
    http::RoutePolicy policy;
    policy.errors = http::ErrorShape::kDetailWithCode;
    addAutomationRoutes({router_,
                         {secrets_, webhooks_, client_, probe_, limiter_, service_, log_, events_,
                          access_, registry_access_},
                         policy});
    root_ = bearerOf(person("root", true));
    admin_ = bearerOf(lead_);
    const identity::User member = person("member");
    const identity::User viewer = person("viewer");
    join(acme_, member, identity::TeamRole::kMember);
    join(acme_, viewer, identity::TeamRole::kViewer);
    member_ = bearerOf(member);
    viewer_ = bearerOf(viewer);
    stranger_ = bearerOf(person("stranger"));
  }

  http::Response send(http::Method method,
                      const std::string& target,
                      const std::string& bearer,
                      const std::string& body = "") {
    tick();
    return ApiTest::send(method, target, bearer, body);
  }
  /// Returns the statuses for a stranger, a viewer, a member, an admin and the organization's
  /// admin.
  std::string statuses(http::Method method,
                       const std::string& target,
                       const std::string& body = "") {
    std::string text;
    for (const std::string& bearer : {stranger_, viewer_, member_, admin_, root_}) {
      text += std::to_string(send(method, target, bearer, body).status) + " ";
    }
    return text;
  }

  static std::string member(const http::Response& response, std::string_view path) {
    const auto parsed = json::Document::parse(response.body);
    if (!std::holds_alternative<json::Document>(parsed)) return "no JSON";
    std::optional<json::Node> node = std::get<json::Document>(parsed).root();
    while (!path.empty() && node) {
      const std::string_view name = path.substr(0, path.find('.'));
      path.remove_prefix(std::min(path.size(), name.size() + 1));
      if (node->isArray()) {
        auto at = node->begin();
        for (int i = std::stoi(std::string(name)); i > 0; --i) ++at;
        node = *at;
      } else {
        node = node->find(name);
      }
    }
    if (!node) return "absent";
    return node->isString() ? node->text() : std::string(node->raw());
  }
  static std::string violation(const http::Response& response) {
    return response.status != 422
               ? std::to_string(response.status) + response.body
               : member(response, "detail.0.type") + member(response, "detail.0.loc");
  }

  std::string makeWebhook(const std::string& name,
                          const std::string& url,
                          const std::string& more = "") {
    const http::Response made =
        send(kPost, "/teams/acme/webhooks", admin_,
             R"({"name":")" + name + R"(","url_endpoint":")" + url + "\"" + more + "}");
    EXPECT_EQ(made.status, 201) << made.body;
    return member(made, "id");
  }
  static std::string automationOf(
      const std::string& name,
      const std::string& action = R"({"type":"noop"})",
      const std::string& scope = R"({"type":"project","team":"acme","project":"lab"})",
      const std::string& event = R"({"type":"LINK_ARTIFACT"})") {
    return R"({"name":")" + name + R"(","scope":)" + scope + R"(,"event":)" + event +
           R"(,"action":)" + action + "}";
  }
  std::string makeAutomation(const std::string& body, const std::string& bearer = "") {
    const http::Response made = send(kPost, "/automations", bearer.empty() ? admin_ : bearer, body);
    EXPECT_EQ(made.status, 201) << made.body;
    return member(made, "id");
  }

  http::Client http_client_{http::ClientOptions()};
  WebhookClient client_{http_client_, http::EgressPolicy({.allow_private = true})};
  WebhookProbe probe_{secrets_, client_, clock_, "0.1.0"};
  http::RateLimiter limiter_{10, clock_};
  events::Outbox outbox_{*database_, clock_};
  registry::RegistryRepository registries_{*database_, clock_};
  registry::RegistryAccess registry_access_{registries_};
  registry::CollectionRepository collections_{*database_, outbox_, clock_};
  ScopeAccess scopes_{{access_, registry_access_, collections_}};
  AutomationService service_{automations_, webhooks_, access_, scopes_, clock_};
  ScopeRepository scope_repository_{*database_};
  DeliveryRepository deliveries_{*database_, clock_};
  DeliveryStatistics statistics_{*database_};
  DeliveryService log_{{deliveries_, statistics_, automations_, webhooks_, access_,
                        [](const std::string&) {}, clock_},
                       scopes_};
  EventService events_{outbox_, deliveries_, scope_repository_, scopes_};
  std::string root_, admin_, member_;
};

TEST_P(AutomationApiTest, SecretRoutesCheckRoles) {
  EXPECT_EQ(statuses(kGet, "/teams/acme/secrets"), "404 403 200 200 200 ");
  EXPECT_EQ(statuses(kPost, "/teams/acme/secrets", R"({"name":"K","value":"v"})"),
            "404 403 403 201 409 ");
  EXPECT_EQ(statuses(kPut, "/teams/acme/secrets/K", R"({"value":"w"})"), "404 403 403 200 200 ");
  EXPECT_EQ(statuses(kDelete, "/teams/acme/secrets/K"), "404 403 403 204 404 ");
}

TEST_P(AutomationApiTest, SecretRoutesNeverReturnValues) {
  const std::string value = "hunter2hunter2";
  const http::Response made =
      send(kPost, "/teams/acme/secrets", admin_, R"({"name":"KEY","value":")" + value + R"("})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(member(made, "version"), "1");
  std::string all = made.body;
  all += send(kGet, "/teams/acme/secrets", admin_).body;
  for (const char* broken :
       {R"({"value":"hunter2hunter2"})", R"({"name":"1","value":"hunter2hunter2"})",
        R"({"name":"K","value":["hunter2hunter2"]})", R"({"name":"K","valeu":"hunter2hunter2"})"}) {
    const http::Response refused = send(kPost, "/teams/acme/secrets", admin_, broken);
    EXPECT_EQ(refused.status, 422) << refused.body;
    all += refused.body;
  }
  EXPECT_EQ(all.find(value), std::string::npos) << all;
}

TEST_P(AutomationApiTest, SecretRoutesValidateNames) {
  const auto made = [&](const std::string& name) {
    return violation(
        send(kPost, "/teams/acme/secrets", admin_, R"({"name":")" + name + R"(","value":"v"})"));
  };
  EXPECT_EQ(made("ACCESS_TOKEN"), R"(reserved_name["body","name"])");
  EXPECT_EQ(made("alias"), R"(reserved_name["body","name"])");
  EXPECT_EQ(made("a-b"), R"(string_pattern_mismatch["body","name"])");
  EXPECT_EQ(made("1a"), R"(string_pattern_mismatch["body","name"])");
  EXPECT_EQ(made(std::string(65, 'a')), R"(string_pattern_mismatch["body","name"])");
  EXPECT_EQ(violation(send(kPost, "/teams/acme/secrets", admin_,
                           R"({"name":"K","value":")" + std::string(65537, 'x') + R"("})")),
            R"(string_too_long["body","value"])");
}

TEST_P(AutomationApiTest, WebhookRoutesCheckRoles) {
  const std::string body = R"({"name":"hook","url_endpoint":"https://hooks.example.com/x"})";
  EXPECT_EQ(statuses(kPost, "/teams/acme/webhooks", body), "404 403 403 201 409 ");
  EXPECT_EQ(statuses(kGet, "/teams/acme/webhooks"), "404 403 200 200 200 ");
  const std::string path =
      "/teams/acme/webhooks/" + member(send(kGet, "/teams/acme/webhooks", admin_), "items.0.id");
  EXPECT_EQ(statuses(kGet, path), "404 403 200 200 200 ");
  EXPECT_EQ(statuses(kPatch, path, R"({"max_concurrency":3})"), "404 403 403 200 200 ");
  EXPECT_EQ(statuses(kDelete, path), "404 403 403 204 404 ");
}

TEST_P(AutomationApiTest, WebhookRoutesShowMembersOnlyTheHost) {
  const std::string id = makeWebhook("hook", "https://hooks.example.com/services/T0KEN");
  for (const std::string& path :
       {std::string("/teams/acme/webhooks"), "/teams/acme/webhooks/" + id}) {
    EXPECT_NE(send(kGet, path, admin_).body.find("T0KEN"), std::string::npos);
    const std::string seen = send(kGet, path, member_).body;
    EXPECT_EQ(seen.find("T0KEN"), std::string::npos);
    EXPECT_NE(seen.find(R"("url_endpoint":"hooks.example.com")"), std::string::npos) << seen;
  }
}

TEST_P(AutomationApiTest, WebhookRoutesRejectInvalidWebhooks) {
  const auto made = [&](const std::string& name, const std::string& url,
                        const std::string& more = "") {
    return violation(
        send(kPost, "/teams/acme/webhooks", admin_,
             R"({"name":")" + name + R"(","url_endpoint":")" + url + "\"" + more + "}"));
  };
  makeWebhook("-a b_c", "https://a.example/");
  EXPECT_EQ(made("a/b", "https://a.example/"), R"(string_pattern_mismatch["body","name"])");
  EXPECT_EQ(made("a", "https://169.254.169.254/"), R"(url_not_allowed["body","url_endpoint"])");
  EXPECT_EQ(made("a", "ftp://a.example/"), R"(url_not_allowed["body","url_endpoint"])");
  EXPECT_EQ(made("a", "https://a.example/", R"(,"secret_ref":"NOPE")"),
            R"(unknown_reference["body","secret_ref"])");
  EXPECT_EQ(made("a", "https://a.example/", R"(,"max_concurrency":17)"),
            R"(less_than_equal["body","max_concurrency"])");
  EXPECT_EQ(made("a", "https://a.example/", R"(,"more":1)"), R"(extra_forbidden["body","more"])");
}

TEST_P(AutomationApiTest, TestSendsCredentials) {
  std::string request;
  ScriptedServer server([&](ScriptedServer::Peer& peer) {
    request = peer.readRequest();
    peer.send(http::okResponse("got tok_example_123"));
  });
  secret("TOKEN", "tok_example_123");
  secret("KEY", "s3cr3t-deploy-key");
  const std::string id =
      makeWebhook("hook", server.url("/in"), R"(,"access_token_ref":"TOKEN","secret_ref":"KEY")");
  const std::string path = "/teams/acme/webhooks/" + id + "/test";
  EXPECT_EQ(send(kPost, path, member_, "{}").status, 403);
  const http::Response tested = send(
      kPost, path, admin_, R"({"payload":"{\"k\":\"${KEY}\",\"a\":\"${alias}\",\"t\":${tag}}"})");
  ASSERT_EQ(tested.status, 200) << tested.body;
  EXPECT_EQ(member(tested, "success"), "true");
  EXPECT_EQ(member(tested, "response.body"), "got ***");
  EXPECT_EQ(member(tested, "request.body"), R"({"k":"***","a":"","t":null})");
  EXPECT_EQ(member(tested, "request.headers.Authorization"), "Bearer ***");
  EXPECT_EQ(tested.body.find("s3cr3t"), std::string::npos);
  EXPECT_EQ(tested.body.find("tok_example_123"), std::string::npos);
  EXPECT_NE(request.find("Authorization: Bearer tok_example_123\r\n"), std::string::npos);
  EXPECT_TRUE(request.ends_with(R"({"k":"s3cr3t-deploy-key","a":"","t":null})"));
  EXPECT_EQ(request.find("X-Svc-Event"), std::string::npos);
}

TEST_P(AutomationApiTest, TestReportsAFailure) {
  ScriptedServer server(http::respondingWith("HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno"));
  secret("KEY", "value");
  const std::string id = makeWebhook("hook", server.url("/in"), R"(,"secret_ref":"KEY")");
  const std::string path = "/teams/acme/webhooks/" + id + "/test";
  http::Response tested = send(kPost, path, admin_, R"({"payload":{"any":1}})");
  EXPECT_EQ(tested.status, 200);
  EXPECT_EQ(member(tested, "success"), "false");
  EXPECT_EQ(member(tested, "response.status"), "500");
  EXPECT_EQ(member(tested, "error"), "null");
  EXPECT_EQ(violation(send(kPost, path, admin_, R"({"payload":"nonsense"})")),
            R"(json_invalid["body","payload"])");
  ASSERT_TRUE(secrets_.remove({acme_.id, "KEY"}, true));
  tested = send(kPost, path, admin_, "{}");
  EXPECT_EQ(member(tested, "error.code"), "secret_unavailable");
  EXPECT_EQ(member(tested, "request"), "null");
}

TEST_P(AutomationApiTest, TestOfANewWebhook) {
  ScriptedServer server(http::respondingWith(http::okResponse("fine")));
  const std::string body = R"({"name":"draft","url_endpoint":")" + server.url("/") + "\"";
  EXPECT_EQ(statuses(kPost, "/teams/acme/webhooks/test", body + "}"), "404 403 403 200 200 ");
  EXPECT_EQ(member(send(kGet, "/teams/acme/webhooks", admin_), "items"), "[]");
  EXPECT_EQ(
      violation(send(kPost, "/teams/acme/webhooks/test", admin_, body + R"(,"secret_ref":"NO"})")),
      R"(unknown_reference["body","secret_ref"])");
}

TEST_P(AutomationApiTest, TestIsRateLimited) {
  ScriptedServer server(http::respondingWith(http::okResponse("fine")));
  const std::string body = R"({"name":"draft","url_endpoint":")" + server.url("/") + R"("})";
  int limited = 0;
  for (int i = 0; i < 20; ++i) {
    limited += send(kPost, "/teams/acme/webhooks/test", admin_, body).status == 429 ? 1 : 0;
  }
  EXPECT_GT(limited, 0);
  clock_.advance(std::chrono::minutes(1));
  EXPECT_EQ(send(kPost, "/teams/acme/webhooks/test", admin_, body).status, 200);
}

TEST_P(AutomationApiTest, AutomationRoutesCheckRoles) {
  const std::string project = automationOf("p");
  EXPECT_EQ(statuses(kPost, "/automations", project), "404 403 403 201 409 ");
  EXPECT_EQ(statuses(kPost, "/automations",
                     automationOf("t", R"({"type":"noop"})", R"({"type":"team","team":"acme"})")),
            "404 403 403 201 409 ");
  EXPECT_EQ(statuses(kPost, "/automations",
                     automationOf("o", R"({"type":"noop"})", R"({"type":"organization"})")),
            "403 403 403 403 201 ");
  const auto path = [&](const std::string& name) {
    return "/automations/" + member(send(kGet, "/automations?name=" + name, root_), "items.0.id");
  };
  for (const char* name : {"p", "t"}) {
    const std::string one = path(name);
    EXPECT_EQ(statuses(kGet, one), "404 404 200 200 200 ") << name;
    EXPECT_EQ(statuses(kPatch, one, R"({"enabled":false})"), "404 404 403 200 200 ") << name;
    EXPECT_EQ(statuses(kPost, one + "/render", R"({"event":{}})"), "404 404 422 422 422 ") << name;
    EXPECT_EQ(statuses(kDelete, one), "404 404 403 204 404 ") << name;
  }
  const std::string wide = path("o");
  EXPECT_EQ(statuses(kGet, wide), "404 404 404 404 200 ");
  EXPECT_EQ(statuses(kPatch, wide, R"({"enabled":false})"), "404 404 404 404 200 ");
  EXPECT_EQ(statuses(kDelete, wide), "404 404 404 404 204 ");
  EXPECT_EQ(statuses(kGet, "/projects/acme/lab/automations"), "404 403 200 200 200 ");
}

TEST_P(AutomationApiTest, ListShowsVisibleAutomations) {
  makeAutomation(automationOf("p"));
  makeAutomation(automationOf("o", R"({"type":"noop"})", R"({"type":"organization"})"), root_);
  const auto names = [&](const std::string& bearer, const std::string& query = "") {
    const http::Response page = send(kGet, "/automations" + query, bearer);
    const auto parsed = json::Document::parse(page.body);
    std::string all;
    const json::Node items = *std::get<json::Document>(parsed).root().find("items");
    for (const json::Node& item : items) {
      all += item.find("name")->text();
    }
    return all;
  };
  EXPECT_EQ(names(root_), "op");
  EXPECT_EQ(names(admin_), "p");
  EXPECT_EQ(names(member_), "p");
  EXPECT_EQ(names(viewer_), "");
  EXPECT_EQ(names(stranger_), "");
  EXPECT_EQ(names(root_, "?scope_type=project&event_type=link_artifact&action_type=noop"), "p");
  EXPECT_EQ(names(root_, "?created_by=root&enabled=true"), "o");
  EXPECT_EQ(violation(send(kGet, "/automations?scope_type=x", root_)),
            R"(enum["query","scope_type"])");
  EXPECT_EQ(violation(send(kGet, "/automations?event_type=x", root_)),
            R"(enum["query","event_type"])");
  EXPECT_EQ(violation(send(kGet, "/automations?action_type=x", root_)),
            R"(enum["query","action_type"])");
}

TEST_P(AutomationApiTest, StoresAnAutomationWithItsTemplate) {
  secret("KEY", "value");
  const std::string hook =
      makeWebhook("hook", "https://hooks.example.com/", R"(,"secret_ref":"KEY")");
  const http::Response made =
      send(kPost, "/automations", admin_,
           automationOf(
               "deploy",
               R"({"type":"webhook","webhook_id":")" + hook +
                   R"(","payload":{ "v" : "${artifact_version_string}", "k":"${KEY}${NOPE}" }})",
               R"({"type":"project","team":"acme","project":"lab"})",
               R"({"type":"add_artifact_alias","alias_regex":"^production$"})"));
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(member(made, "event"), R"({"type":"ADD_ARTIFACT_ALIAS","alias_regex":"^production$"})");
  EXPECT_EQ(member(made, "scope"), R"({"type":"project","team":"acme","project":"lab"})");
  EXPECT_EQ(member(made, "action.payload"),
            R"({"v":"${artifact_version_string}","k":"${KEY}${NOPE}"})");
  EXPECT_EQ(member(made, "warnings.0.name"), "KEY");
  EXPECT_EQ(member(made, "warnings.1.name"), "NOPE");
  EXPECT_EQ(member(made, "created_by"), "lead");
  EXPECT_EQ(member(made, "updated_at"), "null");
  const std::string path = "/automations/" + member(made, "id");
  EXPECT_EQ(member(send(kGet, path, admin_), "warnings"), "absent");

  const http::Response changed =
      send(kPatch, path, admin_, R"({"name":"renamed","description":"d"})");
  ASSERT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(member(changed, "warnings.0.code"), "secret_in_body");
  EXPECT_EQ(member(changed, "action.webhook_id"), hook);
  EXPECT_NE(changed.headers.get("ETag"), made.headers.get("ETag"));
  headers_.set("If-Match", made.headers.get("ETag"));
  EXPECT_EQ(send(kPatch, path, admin_, R"({"enabled":false})").status, 412);
  EXPECT_EQ(send(kDelete, path, admin_).status, 412);
  headers_.remove("If-Match");
  EXPECT_EQ(member(send(kDelete, "/teams/acme/webhooks/" + hook, admin_), "code"),
            "webhook_in_use");
}

TEST_P(AutomationApiTest, RegistryAutomationsCheckRegistryRoles) {
  const registry::Actor maker{lead_.id, lead_.username};
  const auto made = registries_.insert(maker, {"models", {}, "", {}});
  ASSERT_TRUE(made);
  const registry::Place place = {"", "", "acme", "svc-registry-models", made->id, "models"};
  const auto collection = collections_.insert(place, maker, {"churn", "model", "", {}});
  ASSERT_TRUE(collection);
  const identity::User helper = person("helper");
  ASSERT_TRUE(registries_.putMember(made->id, registry::RegistryMember::Kind::kUser,
                                    helper.username, identity::RegistryRole::kMember));
  const std::string bearer = bearerOf(helper);
  const std::string noop = R"({"type":"noop"})";
  const std::string whole = R"({"type":"registry","registry":"models"})";
  const std::string part = R"({"type":"collection","registry":"models","collection":"churn"})";
  const auto create = [&](const std::string& name, const std::string& scope,
                          const std::string& as) {
    return send(kPost, "/automations", as, automationOf(name, noop, scope)).status;
  };
  EXPECT_EQ(create("whole", whole, bearer), 403);
  EXPECT_EQ(create("whole", whole, admin_), 201);
  EXPECT_EQ(create("part", part, bearer), 201);
  EXPECT_EQ(create("part", part, member_), 403) << "everyone sees it, few write";
  EXPECT_EQ(create("none", R"({"type":"collection","registry":"models","collection":"x"})", admin_),
            404);
  const http::Response list = send(kGet, "/registries/models/automations", bearer);
  EXPECT_EQ(member(list, "items.0.name") + member(list, "items.1.name"), "partwhole");
  EXPECT_EQ(member(list, "items.0.scope"), part);
  EXPECT_EQ(send(kGet, "/registries/models/automations", member_).status, 403);
  EXPECT_EQ(send(kGet, "/registries/others/automations", admin_).status, 404);
  const std::string id = member(list, "items.0.id");
  EXPECT_EQ(send(kGet, "/automations/" + id, bearer).status, 200);
  EXPECT_EQ(send(kGet, "/automations/" + id, member_).status, 404);
  EXPECT_EQ(send(kDelete, "/automations/" + id, bearer).status, 204);
  const std::string whole_id = member(list, "items.1.id");
  EXPECT_EQ(send(kDelete, "/automations/" + whole_id, bearer).status, 403);
}

TEST_P(AutomationApiTest, RejectsInvalidAutomations) {
  const std::string hook = makeWebhook("hook", "https://hooks.example.com/");
  const auto made = [&](const std::string& body, const std::string& bearer) {
    return violation(send(kPost, "/automations", bearer, body));
  };
  const std::string lab = R"({"type":"project","team":"acme","project":"lab"})";
  const std::string noop = R"({"type":"noop"})";
  EXPECT_EQ(made(automationOf("a", noop, lab, R"({"type":"ADD_ARTIFACT_ALIAS"})"), stranger_),
            R"(missing["body","event","alias_regex"])")
      << "the request itself is told before its scope is looked up";
  EXPECT_EQ(made(automationOf("a", noop, R"({"type":"team","team":"acme"})",
                              R"({"type":"CREATE_ARTIFACT"})"),
                 admin_),
            R"(invalid_scope_for_event["body","scope","type"])");
  EXPECT_EQ(made(automationOf("a", noop, R"({"type":"registry","registry":"models"})",
                              R"({"type":"RUN_STATE","states":["FAILED"]})"),
                 admin_),
            R"(invalid_scope_for_event["body","scope","type"])");
  EXPECT_EQ(made(automationOf("a", R"({"type":"notification"})"), admin_),
            R"(enum["body","action","type"])");
  EXPECT_EQ(made(automationOf("a", R"({"type":"webhook"})"), admin_),
            R"(missing["body","action","webhook_id"])");
  EXPECT_EQ(made(automationOf("a", R"({"type":"noop","payload":"{}"})"), admin_),
            R"(extra_forbidden["body","action","payload"])");
  EXPECT_EQ(made(automationOf("a", R"({"type":"webhook","webhook_id":"wh_none"})"), admin_),
            R"(unknown_reference["body","action","webhook_id"])");
  const std::string with = R"({"type":"webhook","webhook_id":")" + hook + "\"";
  EXPECT_EQ(made(automationOf("a", with + R"(,"payload":"{\"a\":${nope}}"})"), admin_),
            R"(unknown_variable["body","action","payload"])");
  EXPECT_EQ(made(automationOf("a", with + R"(,"payload":"nonsense"})"), admin_),
            R"(json_invalid["body","action","payload"])");
  EXPECT_EQ(made(automationOf("a", with + R"(,"preset":"nope"})"), admin_),
            R"(unknown_reference["body","action","preset"])");
  EXPECT_EQ(made(automationOf("a", with + R"(,"preset":"message_card","payload":"{}"})"), admin_),
            R"(extra_forbidden["body","action","preset"])");
  EXPECT_EQ(made(automationOf(std::string(256, 'a')), admin_), R"(string_too_long["body","name"])");
}

TEST_P(AutomationApiTest, RejectsWebhooksOfOtherTeams) {
  const std::string hook = makeWebhook("hook", "https://hooks.example.com/");
  const identity::User rival = person("rival");
  team("rivals", rival);
  const http::Response refused =
      send(kPost, "/automations", bearerOf(rival),
           automationOf("a", R"({"type":"webhook","webhook_id":")" + hook + R"("})",
                        R"({"type":"team","team":"rivals"})"));
  EXPECT_EQ(violation(refused), R"(unknown_reference["body","action","webhook_id"])");
}

TEST_P(AutomationApiTest, MoveRequiresPermissionInBothScopes) {
  const identity::User rival = person("rival");
  const identity::Team rivals = team("rivals", rival);
  const std::string path = "/automations/" + makeAutomation(automationOf("a"));
  const std::string move = R"({"scope":{"type":"team","team":"rivals"}})";
  EXPECT_EQ(send(kPatch, path, admin_, move).status, 404);
  EXPECT_EQ(send(kPatch, path, bearerOf(rival), move).status, 404);
  join(rivals, lead_, identity::TeamRole::kMember);
  EXPECT_EQ(send(kPatch, path, admin_, move).status, 403);
  join(rivals, lead_, identity::TeamRole::kAdmin);
  const http::Response moved = send(kPatch, path, admin_, move);
  EXPECT_EQ(moved.status, 200) << moved.body;
  EXPECT_EQ(member(moved, "scope"), R"({"type":"team","team":"rivals"})");
  EXPECT_EQ(violation(send(kPatch, path, admin_, R"({"event":{"type":"CREATE_ARTIFACT"}})")),
            R"(invalid_scope_for_event["body","scope","type"])");
}

TEST_P(AutomationApiTest, ProjectAdminsManageAutomations) {
  const identity::User owner = person("owner");
  join(acme_, owner, identity::TeamRole::kMember);
  const std::string bearer = bearerOf(owner);
  EXPECT_EQ(send(kPost, "/automations", bearer, automationOf("a")).status, 403);
  ASSERT_TRUE(projects_.setRole(lab_.id, owner.id, identity::TeamRole::kAdmin));
  EXPECT_EQ(send(kPost, "/automations", bearer, automationOf("a")).status, 201);
  EXPECT_EQ(send(kPost, "/automations", bearer,
                 automationOf("b", R"({"type":"noop"})", R"({"type":"team","team":"acme"})"))
                .status,
            403);
}

TEST_P(AutomationApiTest, HidesAutomationsOfVisibleProjectsFromOthers) {
  const identity::Project open = project(acme_, "open", lead_, identity::Visibility::kOpen);
  const std::string scope = R"({"type":"project","team":"acme","project":"open"})";
  const std::string path =
      "/automations/" + makeAutomation(automationOf("a", R"({"type":"noop"})", scope));
  EXPECT_EQ(statuses(kGet, path), "404 404 200 200 200 ");
  EXPECT_EQ(member(send(kGet, "/projects/acme/open/automations", stranger_), "items"), "[]");
}

TEST_P(AutomationApiTest, CreatesAMissingProject) {
  const std::string scope = R"({"type":"project","team":"acme","project":"fresh"})";
  EXPECT_EQ(
      send(kPost, "/automations", member_, automationOf("a", R"({"type":"noop"})", scope)).status,
      403);
  EXPECT_FALSE(projects_.find("acme", "fresh"));
  makeAutomation(automationOf("a", R"({"type":"noop"})", scope));
  EXPECT_TRUE(projects_.find("acme", "fresh"));
}

TEST_P(AutomationApiTest, RendersThePayload) {
  secret("KEY", "hunter2hunter2");
  const std::string hook =
      makeWebhook("hook", "https://hooks.example.com/", R"(,"secret_ref":"KEY")");
  const std::string with = R"({"type":"webhook","webhook_id":")" + hook + "\"";
  const std::string path =
      "/automations/" +
      makeAutomation(automationOf(
          "a", with + R"(,"payload":"[\"${entity_name}/${project_name}\",\"${alias}\",)"
                      R"(${artifact_metadata.acc},\"$KEY\",${metric_value},\"${event_type}\"]"})"));
  const http::Response rendered =
      send(kPost, path + "/render", member_,
           R"({"event":{"variables":{"alias":"prod","metric_value":0.50},)"
           R"("artifact_metadata":{"acc":0.930}}})");
  ASSERT_EQ(rendered.status, 200) << rendered.body;
  EXPECT_EQ(member(rendered, "body"), R"(["acme/lab","prod",0.930,"***",0.50,"LINK_ARTIFACT"])");
  EXPECT_EQ(member(rendered, "warnings.0.code"), "secret_in_body");
  EXPECT_EQ(violation(send(kPost, path + "/render", admin_,
                           R"({"event":{"variables":{"metric_value":"x"}}})")),
            R"(float_type["body","event","variables","metric_value"])");
  EXPECT_EQ(send(kPost, path + "/render", admin_, R"({"event":{"variables":{"nope":"x"}}})").status,
            422);
  const std::string standard = "/automations/" + makeAutomation(automationOf("b", with + "}"));
  EXPECT_NE(send(kPost, standard + "/render", admin_, R"({"event":{}})").body.find("event_author"),
            std::string::npos);
}

TEST_P(AutomationApiTest, ListsPresets) {
  const http::Response presets = send(kGet, "/payload-presets", stranger_);
  EXPECT_EQ(presets.status, 200);
  EXPECT_EQ(member(presets, "items.0.name"), "repository_dispatch");
  const std::string hook = makeWebhook("hook", "https://hooks.example.com/");
  const http::Response made = send(kPost, "/automations", admin_,
                                   automationOf("a", R"({"type":"webhook","webhook_id":")" + hook +
                                                         R"(","preset":"repository_dispatch"})"));
  EXPECT_EQ(member(made, "action.preset"), "repository_dispatch");
  EXPECT_EQ(member(made, "action.payload"), member(presets, "items.0.payload"));
  EXPECT_EQ(member(made, "warnings"), "[]");
}

SPINDLE_ON_BOTH_ENGINES(AutomationApiTest);

}  // namespace
}  // namespace spindle::automation
