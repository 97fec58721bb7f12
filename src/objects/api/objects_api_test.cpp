#include "objects/api/objects_api.h"

#include "http/message/body_stream.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/access/authenticator.h"
#include "identity/api/api_key_authenticator.h"
#include "json/document.h"
#include "objects/api/array_stream.h"
#include "objects/store/objects_for_test.h"

namespace spindle::objects {
namespace {

/// The routes over the real repositories, without a socket.
class ObjectRoutes : public ObjectsContract {
 protected:
  void SetUp() override {
    ObjectsContract::SetUp();
    addObjectRoutes({router_, {objects_, labels_, tables_, files_, refs_, access_, projects_}, {}});
    bearer_ = bearerOf(lead_);
    stranger_ = bearerOf(person("stranger"));
    const identity::User watcher = person("watcher");
    join(*teams_.findByName("acme"), watcher, identity::TeamRole::kViewer);
    viewer_ = bearerOf(watcher);
  }

  std::string bearerOf(const identity::User& user) {
    return "Bearer " + std::string(key(user, "test").text.reveal());
  }

  http::Response send(http::Method method,
                      const std::string& target,
                      const std::string& body,
                      const std::string& bearer,
                      const std::string& type = "") {
    http::Request request;
    request.method = method;
    request.target = target;
    request.body = body;
    request.headers.add("Authorization", bearer);
    if (!type.empty()) request.headers.add("Content-Type", type);
    http::Response response = router_.handle(request);
    if (response.stream) {
      std::string piece;
      while (response.stream->next(piece) == http::BodyStream::State::kChunk) {
        response.body += piece;
        ++pieces_;
      }
    }
    return response;
  }
  http::Response post(const std::string& target, const std::string& body) {
    return send(http::Method::kPost, target, body, bearer_);
  }
  /// Returns the status and body of a POST.
  std::string answer(const std::string& target, const std::string& body) {
    const http::Response response = post(target, body);
    return std::to_string(response.status) + " " + response.body;
  }
  static std::string member(const http::Response& response, std::string_view name) {
    const auto parsed = json::Document::parse(response.body);
    const std::optional<json::Node> found = std::get<json::Document>(parsed).root().find(name);
    if (!found) return "absent";
    return found->isString() ? found->text() : std::string(found->raw());
  }
  std::string create(const std::string& object_id, const std::string& value) {
    return member(post("/obj/create", R"({"obj":{"project_id":"acme/lab","object_id":")" +
                                          object_id + R"(","val":)" + value + "}}"),
                  "digest");
  }
  static std::string formOf(const std::vector<std::pair<std::string, std::string>>& fields) {
    std::string body;
    for (const auto& [name, value] : fields) {
      body += "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"" +
              (name == "file" ? "; filename=\"obj.py\"" : "") + "\r\n\r\n" + value + "\r\n";
    }
    return body + "--b--\r\n";
  }
  http::Response upload(const std::string& path,
                        const std::vector<std::pair<std::string, std::string>>& fields,
                        const std::string& bearer) {
    return send(http::Method::kPost, path, formOf(fields), bearer,
                "multipart/form-data; boundary=b");
  }

  identity::Access access_{access_facts_, projects_};
  identity::Authenticator authenticator_{keys_, clock_};
  identity::ApiKeyAuthenticator authentication_{authenticator_};
  http::Router router_{http::RouterPorts{&authentication_, nullptr, nullptr}};
  std::string bearer_, stranger_, viewer_;
  int pieces_ = 0;
};

using enum http::Method;

TEST_P(ObjectRoutes, CheckKeyThenSchemaThenAccess) {
  const std::string good = R"({"project_id":"acme/lab","object_id":"x","digest":"latest"})";
  EXPECT_EQ(send(kPost, "/obj/read", "{}", "").status, 401);
  EXPECT_EQ(send(kPost, "/obj/read", "{}", stranger_).status, 422);
  EXPECT_EQ(send(kPost, "/obj/read", good, stranger_).body, R"({"reason":"Project not found"})");
  EXPECT_EQ(send(kPost, "/obj/read", good, bearer_).body, R"({"reason":"Obj x:latest not found"})");
  EXPECT_EQ(
      answer("/obj/read", R"({"project_id":"acme","object_id":"x","digest":"d"})").substr(0, 3),
      "400");
}

TEST_P(ObjectRoutes, LetViewersReadAndNotWrite) {
  create("x", "1");
  const std::string read = R"({"project_id":"acme/lab","object_id":"x","digest":"latest"})";
  EXPECT_EQ(send(kPost, "/obj/read", read, viewer_).status, 200);
  const std::string write = R"({"obj":{"project_id":"acme/lab","object_id":"x","val":2}})";
  EXPECT_EQ(send(kPost, "/obj/create", write, viewer_).status, 403);
  const std::string tags = R"({"project_id":"acme/lab","tags":["t"]})";
  EXPECT_EQ(send(kPut, "/objs/x/versions/v0/tags", tags, viewer_).status, 403);
  const std::string gone = R"({"project_id":"acme/lab","object_id":"x"})";
  EXPECT_EQ(send(kPost, "/obj/delete", gone, viewer_).status, 403);
}

TEST_P(ObjectRoutes, ReadProjectsThatDoNotExistYetAsEmpty) {
  EXPECT_EQ(answer("/objs/query", R"({"project_id":"acme/new"})"), R"(200 {"objs":[]})");
  EXPECT_EQ(answer("/table/query", R"({"project_id":"acme/new","digest":"d"})"),
            R"(200 {"rows":[]})");
  EXPECT_EQ(answer("/table/query_stats", R"({"project_id":"acme/new","digest":"d"})"),
            R"(200 {"count":0})");
  EXPECT_EQ(answer("/table/query_stats_batch", R"({"project_id":"acme/new"})"),
            R"(200 {"tables":[]})");
  EXPECT_EQ(answer("/files/stats", R"({"project_id":"acme/new"})"),
            R"(200 {"total_size_bytes":0})");
  EXPECT_EQ(send(kGet, "/tags?project_id=acme%2Fnew", "", bearer_).body, R"({"tags":[]})");
  EXPECT_EQ(send(kGet, "/aliases?project_id=acme%2Fnew", "", bearer_).body, R"({"aliases":[]})");
  EXPECT_EQ(post("/obj/delete", R"({"project_id":"acme/new","object_id":"x"})").status, 404);
  EXPECT_EQ(
      post("/table/update", R"({"project_id":"acme/new","base_digest":"x","updates":[]})").status,
      404);
  EXPECT_EQ(codeOf(projects_.find("acme", "new")), ErrorCode::kNotFound);
}

TEST_P(ObjectRoutes, ConvertIncomingAndOutgoingRefs) {
  const std::string inner = create("inner", R"({"n":1})");
  const std::string ref = "svc:///acme/lab/object/inner:" + inner;
  const std::string outer = create("outer", R"({"r":")" + ref + R"("})");
  // The digest is that of the internal form.
  EXPECT_EQ(outer, valueDigest(R"({"r":"svc-trace-internal:///)" + project_ +
                               "/object/inner:" + inner + R"("})")
                       .digest);
  const std::string read = R"({"project_id":"acme/lab","object_id":"outer","digest":"latest"})";
  EXPECT_NE(post("/obj/read", read).body.find(R"("val":{"r":")" + ref + R"("})"),
            std::string::npos);
  EXPECT_EQ(answer("/refs/read_batch",
                   R"({"refs":["svc:///acme/lab/object/outer:)" + outer + R"(/attr/r/key/n"]})"),
            R"(200 {"vals":[1]})");
}

TEST_P(ObjectRoutes, ShowRefsIntoUnreadableProjectsAsPrivate) {
  const identity::User boss = person("boss");
  const std::string secret = project(team("shadow", boss), "x", boss).id;
  const std::string stored = R"({"r":"svc-trace-internal:///)" + secret + R"(/object/a:b/key/c"})";
  publish("leak", stored);
  EXPECT_NE(post("/obj/read", R"({"project_id":"acme/lab","object_id":"leak","digest":"latest"})")
                .body.find(R"("val":{"r":"svc-private://///object/a:b/key/c"})"),
            std::string::npos);
  // The same applies to a row, to a value read by ref, and to incoming refs.
  const std::string table = storeTable({stored});
  EXPECT_NE(post("/table/query", R"({"project_id":"acme/lab","digest":")" + table + R"("})")
                .body.find("svc-private://///object/a:b/key/c"),
            std::string::npos);
  const std::string leak = "svc:///acme/lab/object/leak:" + valueDigest(stored).digest;
  EXPECT_EQ(answer("/refs/read_batch", R"({"refs":[")" + leak + R"(/key/r"]})"),
            R"(200 {"vals":[null]})");
  for (const std::string& hidden : {secret, std::string("prj_none")}) {
    const http::Response refused =
        post("/obj/create", R"({"obj":{"project_id":"acme/lab","object_id":"in","val":)"
                            R"("svc-trace-internal:///)" +
                                hidden + R"(/object/a:b"}})");
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(send(kPost, "/refs/read_batch",
                   R"({"refs":["svc-trace-internal:///)" + hidden + R"(/object/a:b"]})", bearer_)
                  .body,
              R"({"reason":"Project not found"})");
  }
}

TEST_P(ObjectRoutes, StreamLargeResponses) {
  std::vector<std::string> rows;
  rows.reserve(1500);
  const std::string filler(1000, 'f');
  for (int i = 0; i < 1500; ++i) {
    rows.push_back("{\"i\":" + std::to_string(i) + ",\"f\":\"" + filler + "\"}");
  }
  const std::string table = storeTable(rows);
  const http::Response all =
      post("/table/query", R"({"project_id":"acme/lab","digest":")" + table + R"("})");
  EXPECT_EQ(all.status, 200);
  EXPECT_EQ(all.headers.get("Content-Type"), "application/json");
  EXPECT_GT(pieces_, 10);
  const auto parsed = json::Document::parse(all.body);
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed));
  EXPECT_EQ(std::get<json::Document>(parsed).root().find("rows")->size(), 1500);
  pieces_ = 0;
  const http::Response one =
      post("/table/query", R"({"project_id":"acme/lab","limit":1,"digest":")" + table + R"("})");
  EXPECT_EQ(pieces_, 0);
  EXPECT_EQ(one.headers.get("Content-Type"), "application/json");
}

TEST_P(ObjectRoutes, StoreFilesUnderBothPaths) {
  const std::string digest = contentDigest("print(1)\n");
  for (const std::string path : {"/file/create", "/files/create"}) {
    const http::Response made =
        upload(path, {{"project_id", "acme/lab"}, {"file", "print(1)\n"}}, bearer_);
    EXPECT_EQ(made.body, R"({"digest":")" + digest + R"("})");
    EXPECT_EQ(made.headers.get("Content-Type"), "application/json");
  }
  const std::string wanted = R"({"project_id":"acme/lab","digest":")" + digest + R"("})";
  for (const std::string path : {"/file/content", "/files/content"}) {
    const http::Response content = post(path, wanted);
    EXPECT_EQ(content.body, "print(1)\n");
    EXPECT_EQ(content.headers.get("Content-Type"), "application/octet-stream");
    EXPECT_EQ(send(kPost, path, wanted, stranger_).status, 404);
    // Knowing a digest gives no access in another project.
    EXPECT_EQ(post(path, R"({"project_id":"acme/other","digest":")" + digest + R"("})").status,
              404);
  }
  for (const std::string path : {"/files/query_stats", "/files/stats"}) {
    EXPECT_EQ(answer(path, R"({"project_id":"acme/lab"})"), R"(200 {"total_size_bytes":9})");
  }
}

TEST_P(ObjectRoutes, RefuseFormsWithMissingFields) {
  EXPECT_EQ(upload("/file/create", {{"file", "x"}}, bearer_).body,
            R"({"detail":[{"type":"missing","loc":["body","project_id"],)"
            R"("msg":"Field required","input":null}]})");
  EXPECT_EQ(upload("/file/create", {}, bearer_).status, 422);
  EXPECT_EQ(send(kPost, "/file/create", "{}", bearer_, "application/json").status, 422);
  EXPECT_EQ(
      send(kPost, "/file/create", "rubbish", bearer_, "multipart/form-data; boundary=b").status,
      400);
  EXPECT_EQ(upload("/file/create", {{"project_id", "acme/lab"}, {"file", "x"}}, "").status, 401);
  const http::Response other =
      upload("/file/create", {{"project_id", "acme/lab"}, {"file", "x"}, {"expected_digest", "d"}},
             bearer_);
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(*files_.storageSize(project_), 0);
}

SPINDLE_ON_BOTH_ENGINES(ObjectRoutes);

TEST(ArrayStream, ReturnsEarlyErrorsAndClosesOnLaterOnes) {
  const auto broken = ArrayStream::begin(
      "items", [](json::Writer&) -> Result<bool> { return Error::unavailable("gone"); });
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code(), ErrorCode::kUnavailable);
  int asked = 0;
  const auto later = ArrayStream::begin("items", [&asked](json::Writer& items) -> Result<bool> {
    if (++asked > 1) return Error::unavailable("gone");
    items.string(std::string(100'000, 'x'));
    return true;
  });
  ASSERT_TRUE(later);
  EXPECT_FALSE((*later)->isWhole());
  std::string piece;
  EXPECT_EQ((*later)->next(piece), http::BodyStream::State::kChunk);
  EXPECT_EQ((*later)->next(piece), http::BodyStream::State::kBroken);
}

}  // namespace
}  // namespace spindle::objects
