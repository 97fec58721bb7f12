#include "inference/catalogue/upstream_probe.h"

#include <gtest/gtest.h>

#include "http/client/client.h"
#include "http/testing/scripted_server.h"
#include "inference/catalogue/upstream_models_json.h"

namespace spindle::inference {
namespace {

using http::okResponse, http::respondingWith, http::ScriptedServer;

TEST(UpstreamModels, AreParsedFromAList) {
  const auto names = [](std::string text) { return modelNamesIn(std::move(text), 3); };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(R"({"object":"list","data":[{"id":"a"},{"id":"b/c"}]})"), (Names{"a", "b/c"}));
  EXPECT_EQ(names(R"({"data":[]})"), Names());
  EXPECT_EQ(names(R"({"data":[{"id":1},{"name":"x"},"y",null,{"id":"z"}]})"), Names{"z"});
  EXPECT_EQ(names(R"({"data":[{"id":"1"},{"id":"2"},{"id":"3"},{"id":"4"}]})")->size(), 3U);
  for (const char* other : {"", "nonsense", "[]", "{}", R"({"data":{}})", R"({"data":"a"})"}) {
    EXPECT_EQ(names(other), std::nullopt) << other;
  }
}

TEST(UpstreamModels, ErrorMessagesAreParsed) {
  EXPECT_EQ(messageIn(R"({"error":{"message":"no such key","type":"x"}})"), "no such key");
  EXPECT_EQ(messageIn(R"({"error":"no such key"})"), "no such key");
  EXPECT_EQ(messageIn(R"({"detail":"Not authenticated"})"), "Not authenticated");
  EXPECT_EQ(messageIn(R"({"message":"nginx"})"), "nginx");
  EXPECT_EQ(messageIn("<html>Bad Gateway</html>"), "<html>Bad Gateway</html>");
  EXPECT_EQ(messageIn(R"({"error":{}})"), R"({"error":{}})");
  EXPECT_EQ(messageIn("[1]"), "[1]");
}

class Probe : public ::testing::Test {
 protected:
  UpstreamProbe probe(const std::string& url, const std::string& key = "sk-4711") {
    Upstream upstream;
    upstream.url = url;
    return probeUpstream(client_, upstream, Secret(key));
  }
  static std::string answerWith(const std::string& status, const std::string& body) {
    return "HTTP/1.1 " + status +
           "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
  }

  http::Client client_{{}};
};

TEST_F(Probe, RequestsTheModelsWithTheKey) {
  std::string seen;
  ScriptedServer server([&seen](ScriptedServer::Peer& peer) {
    seen = peer.readRequest();
    peer.send(okResponse(R"({"object":"list","data":[{"id":"a"}]})"));
  });
  const UpstreamProbe answer = probe(server.url("/v1"));
  EXPECT_TRUE(answer.success);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.models, std::vector<std::string>{"a"});
  EXPECT_EQ(answer.error, std::nullopt);
  EXPECT_TRUE(seen.starts_with("GET /v1/models HTTP/1.1\r\n")) << seen;
  EXPECT_NE(seen.find("Authorization: Bearer sk-4711\r\n"), std::string::npos) << seen;
}

TEST_F(Probe, SendsNoKeyIfThereIsNone) {
  std::string seen;
  ScriptedServer server([&seen](ScriptedServer::Peer& peer) {
    seen = peer.readRequest();
    peer.send(okResponse(R"({"data":[]})"));
  });
  EXPECT_TRUE(probe(server.url("/v1"), "").success);
  EXPECT_EQ(seen.find("Authorization"), std::string::npos) << seen;
}

TEST_F(Probe, RemovesTheKeyFromErrors) {
  ScriptedServer server(respondingWith(
      answerWith("401 Unauthorized", R"({"error":{"message":"Bad key: sk-4711, sk-4711."}})")));
  const UpstreamProbe answer = probe(server.url("/v1"));
  EXPECT_FALSE(answer.success);
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.error, "Bad key: ***, ***.");
}

TEST_F(Probe, CutsLongErrors) {
  const std::string body = "ä" + std::string(5000, 'x');
  ScriptedServer server(respondingWith(answerWith("500 Oops", body)));
  const UpstreamProbe answer = probe(server.url("/v1"));
  ASSERT_TRUE(answer.error);
  EXPECT_LT(answer.error->size(), 1100U);
  EXPECT_TRUE(answer.error->starts_with("äxx"));
  EXPECT_TRUE(answer.error->ends_with("…"));
}

TEST_F(Probe, DoesNotShowInvalidUtf8) {
  ScriptedServer server(respondingWith(answerWith("500 Oops", "\xff\xfe")));
  EXPECT_EQ(probe(server.url("/v1")).error, "The response is not text.");
}

TEST_F(Probe, RejectsOtherResponses) {
  ScriptedServer server(respondingWith(okResponse("<html>")));
  const UpstreamProbe answer = probe(server.url("/v1"));
  EXPECT_FALSE(answer.success);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.error, "The response is not a list of models.");
}

TEST_F(Probe, ReportsAMissingResponse) {
  std::string url;
  {
    ScriptedServer server(respondingWith(""));
    url = server.url("/v1");
  }
  const UpstreamProbe answer = probe(url);
  EXPECT_FALSE(answer.success);
  EXPECT_EQ(answer.status, std::nullopt);
  EXPECT_TRUE(answer.error);
}

}  // namespace
}  // namespace spindle::inference
