#include "evaluation/scoring/upstream_client.h"

#include <gtest/gtest.h>

#include "http/client/client.h"
#include "http/testing/scripted_server.h"

namespace spindle::evaluation {
namespace {

using http::ScriptedServer;

constexpr const char* kAnswer =
    R"({"model":"m1","choices":[{"message":{"content":"Hi"}}],"usage":{"total_tokens":3}})";

std::string answerWith(int status, std::string_view headers, std::string_view body) {
  return "HTTP/1.1 " + std::to_string(status) +
         " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + std::string(headers) +
         "\r\n" + std::string(body);
}

class Upstream : public ::testing::Test {
 protected:
  static ModelRequest request() {
    ModelRequest asked;
    asked.model = "m";
    asked.messages = R"([{"role":"user","content":"Hello"}])";
    asked.parameters = R"({"temperature":0})";
    return asked;
  }
  /// Sends a completion to a server with this script and returns the result.
  Result<ModelAnswer> ask(const ScriptedServer::Script& script,
                          std::chrono::milliseconds timeout = std::chrono::seconds(30)) {
    ScriptedServer server(script);
    http::Client client({});
    UpstreamClient upstream(client, {server.url("/v1"), Secret("the-key"), timeout});
    return upstream.complete(request(), {});
  }
  Error problem(int status, std::string_view headers, std::string_view body) {
    const Result<ModelAnswer> answer = ask(http::respondingWith(answerWith(status, headers, body)));
    EXPECT_FALSE(answer);
    return answer ? Error::internal("") : answer.error();
  }
};

TEST_F(Upstream, ReceivesAChatCompletionRequest) {
  std::string seen;
  const Result<ModelAnswer> answer = ask([&](ScriptedServer::Peer& peer) {
    seen = peer.readRequest();
    peer.send(http::okResponse(kAnswer));
  });
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->text, "Hi");
  EXPECT_EQ(answer->model, "m1");
  EXPECT_EQ(answer->usage, R"({"total_tokens":3})");
  EXPECT_TRUE(seen.starts_with("POST /v1/chat/completions HTTP/1.1\r\n")) << seen;
  EXPECT_NE(seen.find("Authorization: Bearer the-key\r\n"), std::string::npos);
  EXPECT_TRUE(seen.ends_with(
      R"({"temperature":0,"model":"m","messages":[{"role":"user","content":"Hello"}]})"))
      << seen;
}

TEST_F(Upstream, TemporaryErrorsAreRetryable) {
  const Error limited = problem(429, "Retry-After: 7\r\n", R"({"error":{"message":"slow down"}})");
  EXPECT_EQ(limited.code(), ErrorCode::kRateLimited);
  EXPECT_EQ(limited.message(), "The upstream limits its requests: slow down");
  ASSERT_EQ(limited.members().size(), 1U);
  EXPECT_EQ(limited.members()[0].second, "7");
  EXPECT_TRUE(problem(429, "Retry-After: tomorrow\r\n", "").members().empty());
  for (const int status : {500, 502, 503, 408}) {
    const Error failed = problem(status, "", "<html>");
    EXPECT_EQ(failed.code(), ErrorCode::kUpstream);
    EXPECT_EQ(failed.message(), "The upstream failed with status " + std::to_string(status) + ".");
  }
  EXPECT_EQ(problem(200, "", "nonsense").message(),
            "The upstream's answer is not a chat completion.");
}

TEST_F(Upstream, PermanentErrorsAreNotRetryable) {
  const Error refused = problem(400, "", R"({"error":{"message":"no such model"}})");
  EXPECT_EQ(refused.code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused.message(), "The upstream refused the request with status 400: no such model");
  for (const int status : {401, 403}) {
    EXPECT_EQ(problem(status, "", R"({"error":{"message":"bad key the-key"}})").message(),
              "The upstream refused the server's credentials.");
  }
}

TEST_F(Upstream, TimeoutsAndLostConnectionsAreRetryable) {
  const Result<ModelAnswer> slow = ask(
      [](ScriptedServer::Peer& peer) {
        peer.readRequest();
        peer.awaitEnd();
      },
      std::chrono::milliseconds(50));
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().code(), ErrorCode::kTimeout);
  EXPECT_EQ(slow.error().message(), "The upstream took too long to answer.");
  const Result<ModelAnswer> dead = ask([](ScriptedServer::Peer& peer) { peer.readRequest(); });
  ASSERT_FALSE(dead);
  EXPECT_EQ(dead.error().code(), ErrorCode::kUpstream);
  EXPECT_EQ(dead.error().message(), "The upstream does not answer.");
}

TEST_F(Upstream, WaitEndsWhenStopped) {
  // On the heap, because GCC reports a false uninitialized warning for one on the stack.
  const auto stop = std::make_unique<std::stop_source>();
  ScriptedServer server([&stop](ScriptedServer::Peer& peer) {
    peer.readRequest();
    stop->request_stop();
    peer.awaitEnd();
  });
  http::Client client({});
  UpstreamClient upstream(client, {server.url("/v1"), {}, std::chrono::hours(1)});
  const Result<ModelAnswer> answer = upstream.complete(request(), stop->get_token());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::kUnavailable);
}

TEST_F(Upstream, MustBeConfigured) {
  http::Client client({});
  UpstreamClient none(client, {});
  EXPECT_EQ(none.complete(request(), {}).error().message(),
            "The server has no upstream for models: set evaluation.upstream_url.");
  ModelRequest named = request();
  named.upstream = "lab";
  EXPECT_EQ(none.complete(named, {}).error().message(), "There is no upstream named 'lab'.");
}

}  // namespace
}  // namespace spindle::evaluation
