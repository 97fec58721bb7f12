#include "http/router/router.h"

#include <gtest/gtest.h>

#include "base/core/no_blocking.h"
#include "base/crypto/crypto.h"
#include "http/router/openapi.h"
#include "http/router/route_group.h"
#include "schema/scalar.h"

namespace spindle::http {
namespace {

struct ItemPath {
  std::string team;
  std::int64_t limit = 10;
  std::vector<std::string> tags;
};
struct NewItem {
  std::string name;
};
struct Item {
  std::string team;
  std::string name;
  std::int64_t limit = 0;
};

class OneKey final : public Authenticator {
 public:
  Result<Principal> authenticate(std::string_view api_key) const override {
    if (forgetful && NoBlocking::forbids()) return Error::unavailable("Not on this thread.");
    ++asked;
    if (api_key == "broken-store") return Error::unavailable("The storage is not available.");
    if (api_key != "the-key") return Error::unauthenticated();
    Principal principal;
    principal.user_id = "usr_1";
    principal.key_id = "key_1";
    return principal;
  }

  bool forgetful = false;  ///< cannot check a key without blocking
  mutable int asked = 0;
};

class MemoryIdempotencyRecords final : public IdempotencyRecords {
 public:
  Result<IdempotencyRecord> begin(const IdempotentPost& post) override {
    if (running) return Error::conflict("Busy.").because("idempotency_in_progress");
    IdempotencyRecord entry;
    if (settled && post.body != body) return Error::unavailable("other body");
    if (settled) entry.replay = answer;
    body = post.body;
    return entry;
  }
  Result<void> finish(const IdempotencyRecord& /*entry*/, const StoredResponse& kept) override {
    settled = true;
    answer = kept;
    return {};
  }
  Result<void> abandon(const IdempotencyRecord& /*entry*/) override {
    ++abandoned;
    return {};
  }

  bool running = false;
  bool settled = false;
  int abandoned = 0;
  std::string body;
  StoredResponse answer;
};

class RouterTest : public ::testing::Test {
 protected:
  RouterTest() {
    RoutePolicy policy;
    policy.errors = ErrorShape::kDetailWithCode;
    policy.json_type_required = true;
    policy.idempotent_posts = true;
    RouteGroup routes(router_, this, policy, "items");
    routes.post(
        "/teams/{team}/items", {"createItem", "Create an item."},
        {.params = Parameters<ItemPath>()
                       .path("team", &ItemPath::team, schema::string({.max_length = 8}), "Team.")
                       .query("limit", &ItemPath::limit, schema::integer({.ge = 1}), "Limit.")
                       .query("tag", &ItemPath::tags, schema::list(schema::string()), "Tags."),
         .body = schema::Record<NewItem>("NewItem", schema::Extra::kForbid)
                     .required("name", &NewItem::name, schema::string(), "Name.")
                     .codec(),
         .reply = schema::Record<Item>("Item")
                      .required("team", &Item::team, schema::string())
                      .required("name", &Item::name, schema::string())
                      .required("limit", &Item::limit, schema::integer())
                      .codec(),
         .status = 201},
        createItem);
    RoutePolicy open;
    open.credentials = Credentials::kOpen;
    RouteGroup open_routes(router_, open, "system");
    open_routes.get("/health", {"health", "Health."}, {}, []() -> Result<void> { return {}; });
  }

  static Result<Reply<Item>> createItem(RouterTest* test,
                                        const ItemPath& path,
                                        const NewItem& item) {
    ++test->calls_;
    if (item.name == "taken") return Error::conflict("Taken.").because("name_taken");
    if (item.name == "boom") return Error::internal("secret text");
    Item made{path.team, item.name, path.limit + static_cast<std::int64_t>(path.tags.size())};
    return Reply<Item>(std::move(made)).with("ETag", "\"1\"");
  }

  Response post(std::string target, std::string body, std::string_view key = "the-key") {
    Request request;
    request.method = Method::kPost;
    request.target = std::move(target);
    request.body = std::move(body);
    request.headers = headers_;
    if (!key.empty()) request.headers.add("Authorization", "Bearer " + std::string(key));
    return router_.handle(request);
  }
  Response send(Method method, std::string target, std::string_view key) {
    Request request;
    request.method = method;
    request.target = std::move(target);
    if (!key.empty()) request.headers.add("Authorization", "Bearer " + std::string(key));
    return router_.handle(request);
  }

  OneKey authenticator_;
  MemoryIdempotencyRecords store_;
  ManualClock clock_{timestampOfMicros(0)};
  RateLimiter limiter_{0, clock_};
  Router router_{RouterPorts{&authenticator_, &store_, &limiter_}};
  Headers headers_;
  int calls_ = 0;
};

TEST_F(RouterTest, GivesTheHandlerTypedInput) {
  const Response response = post("/teams/a%20b/items?limit=3&tag=x&tag=y", R"({"name":"n"})");
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.body, R"({"team":"a b","name":"n","limit":5})");
  EXPECT_EQ(response.headers.get("etag"), "\"1\"");
  EXPECT_EQ(response.headers.get("content-type"), "application/json");
}

TEST_F(RouterTest, ReportsInvalidParametersAndBodyTogether) {
  const Response response = post("/teams/far-too-long/items?limit=x", R"({"name":1,"z":2})");
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(
      response.body,
      R"({"detail":[{"type":"string_too_long","loc":["path","team"],"msg":"String should have at most 8 )"
      R"(characters","input":"far-too-long","ctx":{"max_length":8}},{"type":"int_parsing","loc":)"
      R"(["query","limit"],"msg":"Input should be a valid integer, unable to parse string as an integer",)"
      R"("input":"x"},{"type":"string_type","loc":["body","name"],"msg":"Input should be a valid string",)"
      R"("input":1},{"type":"extra_forbidden","loc":["body","z"],"msg":"Extra inputs are not permitted",)"
      R"("input":2}]})");
  EXPECT_EQ(calls_, 0);
}

TEST_F(RouterTest, ChecksTheCredentialBeforeTheSchema) {
  const Response none = post("/teams/t/items", "{", "");
  EXPECT_EQ(none.status, 401);
  EXPECT_EQ(none.body, R"({"detail":"Not authenticated","code":"unauthenticated"})");
  EXPECT_EQ(none.headers.get("WWW-Authenticate"), "Bearer, Basic realm=\"svc\"");
  EXPECT_EQ(post("/teams/t/items", "{", "wrong").status, 401);
  EXPECT_EQ(post("/teams/t/items", "{", "broken-store").status, 503);
  EXPECT_EQ(post("/teams/t/items", "{").status, 422);
}

TEST_F(RouterTest, TakesBasicWithAnyUserName) {
  headers_.add("Authorization", "basic " + encodeBase64("anyone:the-key"));
  EXPECT_EQ(post("/teams/t/items", R"({"name":"n"})", "").status, 201);
  Headers bearer_only;
  bearer_only.add("Authorization", "Basic " + encodeBase64("api:the-key"));
  EXPECT_EQ(presentedKey(bearer_only, Credentials::kBasicOrBearer), "the-key");
  EXPECT_EQ(presentedKey(bearer_only, Credentials::kBearer), "");
}

TEST(PresentedKey, KeyHeaderRequiresThePolicyOfTheRoute) {
  Headers headers;
  headers.add("svcp-api-key", "the-key");
  EXPECT_EQ(presentedKey(headers, Credentials::kBasicBearerOrHeader), "the-key");
  EXPECT_EQ(presentedKey(headers, Credentials::kBasicOrBearer), "");
  headers.add("Authorization", "Bearer other-key");
  EXPECT_EQ(presentedKey(headers, Credentials::kBasicBearerOrHeader), "other-key");
}

TEST_F(RouterTest, FormatsErrorsByRouteAndHidesInternalMessages) {
  EXPECT_EQ(post("/teams/t/items", R"({"name":"taken"})").body,
            R"({"detail":"Taken.","code":"name_taken"})");
  const Response boom = post("/teams/t/items", R"({"name":"boom"})");
  EXPECT_EQ(boom.status, 500);
  EXPECT_EQ(boom.body, R"({"detail":"Internal Server Error","code":"internal"})");
}

TEST_F(RouterTest, UnknownPathsAndMethodsRequireACredential) {
  EXPECT_EQ(send(Method::kGet, "/nope", "").status, 401);
  EXPECT_EQ(send(Method::kGet, "/nope", "the-key").status, 404);
  EXPECT_EQ(send(Method::kGet, "/nope", "the-key").body, R"({"detail":"Not Found"})");
  EXPECT_EQ(send(Method::kGet, "/teams/t/items/", "the-key").status, 404);
  EXPECT_EQ(send(Method::kGet, "/teams//items", "the-key").status, 404);
  const Response wrong = send(Method::kPut, "/health", "the-key");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.headers.get("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(send(Method::kOther, "/health", "the-key").status, 405);
  EXPECT_EQ(send(Method::kOptions, "/health", "").status, 204);
  EXPECT_EQ(send(Method::kGet, "/health", "").status, 204);
}

TEST_F(RouterTest, RefusesBrokenEscapesInTheTarget) {
  EXPECT_EQ(post("/teams/%zz/items", R"({"name":"n"})").status, 422);
  EXPECT_EQ(post("/teams/%00/items", R"({"name":"n"})").status, 422);
  EXPECT_EQ(post("/teams/t/items?limit=%ff", R"({"name":"n"})").status, 422);
}

TEST_F(RouterTest, RejectsAnotherContentType) {
  headers_.set("Content-Type", "text/plain");
  EXPECT_EQ(post("/teams/t/items", R"({"name":"n"})").status, 415);
  headers_.set("Content-Type", "Application/JSON; charset=utf-8");
  EXPECT_EQ(post("/teams/t/items", R"({"name":"n"})").status, 201);
}

TEST_F(RouterTest, ReplaysAnIdempotentPost) {
  headers_.set("Idempotency-Key", "abc");
  const Response first = post("/teams/t/items", R"({"name":"n"})");
  const Response again = post("/teams/t/items", R"({"name":"n"})");
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(again.headers.get("ETag"), "\"1\"");
  EXPECT_EQ(again.headers.get("Idempotency-Replayed"), "true");
  EXPECT_EQ(calls_, 1);
  const Response other = post("/teams/t/items", R"({"name":"m"})");
  EXPECT_EQ(other.status, 503);
}

TEST_F(RouterTest, DoesNotStoreTheResponseOfAFailedPost) {
  headers_.set("Idempotency-Key", "abc");
  EXPECT_EQ(post("/teams/t/items", R"({"name":"taken"})").status, 409);
  EXPECT_EQ(store_.abandoned, 1);
  store_.running = true;
  EXPECT_NE(post("/teams/t/items", R"({"name":"n"})").body.find("idempotency_in_progress"),
            std::string::npos);
  headers_.set("Idempotency-Key", std::string(256, 'x'));
  EXPECT_EQ(post("/teams/t/items", R"({"name":"n"})").status, 422);
}

TEST_F(RouterTest, AdmitsByTheRouteLimitAndRefusesEarlyWithoutAKey) {
  Request head;
  head.method = Method::kPost;
  head.target = "/teams/t/items";
  EXPECT_EQ(router_.admit(head).refusal->status, 401);
  head.headers.add("Authorization", "Bearer the-key");
  EXPECT_FALSE(router_.admit(head).refusal.has_value());
  EXPECT_EQ(router_.admit(head).principal->key_id, "key_1");
  EXPECT_EQ(router_.admit(head).body_limit, 32U * 1024 * 1024);
  EXPECT_EQ(router_.admit(head).errors, ErrorShape::kDetailWithCode);
}

TEST_F(RouterTest, RejectsAnInvalidKeyBeforeTheBodyEvenWithoutARoute) {
  for (const char* target : {"/teams/t/items", "/nowhere"}) {
    Request head;
    head.method = Method::kPost;
    head.target = target;
    head.headers.add("Authorization", "Bearer wrong");
    ASSERT_TRUE(router_.admit(head).refusal.has_value()) << target;
    EXPECT_EQ(router_.admit(head).refusal->status, 401);
    head.headers.set("Authorization", "Bearer broken-store");
    EXPECT_EQ(router_.admit(head).refusal->status, 503);
  }
}

TEST_F(RouterTest, KeyStaysPendingIfTheCheckWouldBlock) {
  authenticator_.forgetful = true;
  Request head;
  head.method = Method::kPost;
  head.target = "/teams/t/items";
  head.headers.add("Authorization", "Bearer the-key");
  Admission admission = router_.admit(head);
  EXPECT_TRUE(admission.credential_pending);
  EXPECT_FALSE(admission.refusal || admission.principal || admission.presumed);

  EXPECT_FALSE(router_.checkCredential(head).has_value());
  EXPECT_EQ(head.principal->key_id, "key_1");
  admission = router_.admit(head);
  EXPECT_TRUE(admission.credential_pending) << "a key that was good is not taken on trust";
  EXPECT_EQ(admission.presumed->key_id, "key_1");

  head.principal.reset();
  head.headers.set("Authorization", "Bearer wrong");
  EXPECT_TRUE(router_.admit(head).credential_pending);
  EXPECT_EQ(router_.checkCredential(head)->status, 401);
  EXPECT_FALSE(router_.admit(head).presumed.has_value());
}

TEST_F(RouterTest, ChecksACredentialOnlyOnceForARequest) {
  Request request;
  request.method = Method::kPost;
  request.target = "/teams/t/items";
  request.headers.add("Authorization", "Bearer the-key");
  request.headers.add("Content-Type", "application/json");
  request.principal = router_.admit(request).principal;
  const int before = authenticator_.asked;
  request.body = R"({"name":"n"})";
  EXPECT_EQ(router_.handle(request).status, 201);
  EXPECT_EQ(authenticator_.asked, before);
}

TEST_F(RouterTest, DocumentsWhatItEnforces) {
  const std::string document = openApiDocument(router_, "Spindle", "0.1.0");
  EXPECT_TRUE(document.starts_with(
      R"({"openapi":"3.1.0","info":{"title":"Spindle","version":"0.1.0","description":")"));
  EXPECT_NE(document.find(R"("/teams/{team}/items":{"post":{"operationId":"createItem")"),
            std::string::npos);
  EXPECT_NE(
      document.find(R"({"name":"limit","in":"query","required":false,"description":"Limit.",)"
                    R"("schema":{"type":"integer","format":"int64","minimum":1,"default":10}})"),
      std::string::npos);
  EXPECT_NE(document.find(R"("additionalProperties":false)"), std::string::npos);
  EXPECT_NE(document.find(R"("422":{"$ref":"#/components/responses/Coded422"})"),
            std::string::npos);
  EXPECT_NE(document.find(R"("Coded429":{"description":"Too many requests)"), std::string::npos);
}

TEST(RateLimiterTest, FillsTheBucketEvenly) {
  ManualClock clock(timestampOfMicros(0));
  RateLimiter limiter(60, clock);
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(limiter.take("a").allowed);
  const RateLimiter::Decision refused = limiter.take("a");
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.reset_seconds, 1);
  EXPECT_TRUE(limiter.take("b").allowed);
  clock.advance(std::chrono::seconds(2));
  EXPECT_TRUE(limiter.take("a").allowed);
  EXPECT_EQ(limiter.take("a").remaining, 0);
  EXPECT_FALSE(limiter.take("a").allowed);
}

TEST(RateLimiterTest, TakesSeveralAtOnce) {
  ManualClock clock(timestampOfMicros(0));
  RateLimiter limiter(60, clock);
  EXPECT_EQ(limiter.take("a", 40).remaining, 20);
  const RateLimiter::Decision refused = limiter.take("a", 40);
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.remaining, 20);
  EXPECT_EQ(refused.reset_seconds, 20);
  EXPECT_TRUE(limiter.take("a", 20).allowed);
}

TEST(RateLimiterTest, FullBucketAllowsAnAmountAboveItsCapacity) {
  ManualClock clock(timestampOfMicros(0));
  RateLimiter limiter(60, clock);
  const RateLimiter::Decision taken = limiter.take("a", 90);
  EXPECT_TRUE(taken.allowed);
  EXPECT_EQ(taken.remaining, 0);
  clock.advance(std::chrono::seconds(60));
  EXPECT_FALSE(limiter.take("a", 90).allowed);
  clock.advance(std::chrono::seconds(30));
  EXPECT_TRUE(limiter.take("a", 90).allowed);
}

TEST(RateLimiterTest, RefusalContainsRetryAfter) {
  RateLimiter::Decision decision;
  decision.limit = 60;
  decision.remaining = 20;
  decision.reset_seconds = 7;
  const Response response =
      errorResponse(decision.refusal("Too many."), ErrorShape::kDetailWithCode);
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(response.headers.get("RateLimit-Limit"), "60");
  EXPECT_EQ(response.headers.get("RateLimit-Remaining"), "20");
  EXPECT_EQ(response.headers.get("RateLimit-Reset"), "7");
  EXPECT_EQ(response.headers.get("Retry-After"), "7");
}

TEST(RestOfPath, IsOneParameterWithItsSlashes) {
  struct FilePath {
    std::string team;
    std::string path;
  };
  Router router({});
  RoutePolicy policy;
  policy.credentials = Credentials::kOpen;
  RouteGroup routes(router, policy, "files");
  routes.get("/teams/{team}/files/{path...}", {"getFile", "Read"},
             {.params = Parameters<FilePath>()
                            .path("team", &FilePath::team, schema::string(), "")
                            .path("path", &FilePath::path, schema::string(), "")},
             [](const FilePath& path) -> Result<Reply<Nothing>> {
               return Reply(Nothing{}).with("X-Path", path.team + "|" + path.path);
             });
  const auto ask = [&router](const std::string& target) {
    Request request;
    request.target = target;
    return router.handle(request);
  };
  EXPECT_EQ(ask("/teams/a/files/b.txt").headers.get("X-Path"), "a|b.txt");
  EXPECT_EQ(ask("/teams/a/files/b/c%20d/e?x=1").headers.get("X-Path"), "a|b/c d/e");
  EXPECT_EQ(ask("/teams/a/files/b%2Fc").headers.get("X-Path"), "a|b/c");
  EXPECT_EQ(ask("/teams/a/files/").status, 401);
  EXPECT_NE(openApiDocument(router, "t", "1").find(R"("/teams/{team}/files/{path}")"),
            std::string::npos);
}

}  // namespace
}  // namespace spindle::http
