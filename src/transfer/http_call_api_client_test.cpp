#include "transfer/http_call_api_client.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "http/testing/scripted_server.h"

namespace spindle::transfer {
namespace {

using http::ScriptedServer;

ServerAddress addressOf(const ScriptedServer& server) { return {server.url(), Secret("key-1")}; }

std::string chunkOf(const std::string& bytes) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}

/// Reads a request and sends the start of a response without its end.
void sendFirstChunk(ScriptedServer::Peer& peer, const std::string& bytes) {
  peer.readRequest();
  peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunkOf(bytes));
}

TEST(HttpCallApiClient, PostsWithTheApiKey) {
  std::string request;
  ScriptedServer server([&request](ScriptedServer::Peer& peer) {
    request = peer.readRequest();
    peer.send("HTTP/1.1 503 Busy\r\nRetry-After: 3\r\nContent-Length: 4\r\n\r\nbusy");
    peer.awaitEnd();
  });
  {
    HttpCallApiClient calls(addressOf(server));
    const Result<ApiResponse> response = calls.post("/calls/query_stats", "{}");
    ASSERT_TRUE(response.has_value()) << response.error().message();
    EXPECT_EQ(response->status, 503);
    EXPECT_EQ(response->retry_after, std::chrono::seconds(3));
    EXPECT_EQ(response->body, "busy");
  }
  EXPECT_TRUE(request.starts_with("POST /calls/query_stats HTTP/1.1\r\n")) << request;
  EXPECT_NE(request.find("Authorization: Bearer key-1\r\n"), std::string::npos);
  EXPECT_TRUE(request.ends_with("\r\n\r\n{}"));
}

TEST(HttpCallApiClient, StreamsALongResponseInOrder) {
  const std::string piece(100'000, 'x');
  ScriptedServer server([&piece](ScriptedServer::Peer& peer) {
    peer.readRequest();
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 200; ++i) peer.send(chunkOf(std::to_string(i % 10) + piece));
    peer.send("0\r\n\r\n");
    peer.awaitEnd();
  });
  HttpCallApiClient calls(addressOf(server));
  std::size_t taken = 0;
  std::string digits;
  const Result<ApiResponse> response =
      calls.stream("/x", "{}", [&](std::string_view bytes) -> Result<void> {
        taken += bytes.size();
        for (const char c : bytes) {
          if (c != 'x') digits += c;
        }
        return {};
      });
  ASSERT_TRUE(response.has_value()) << response.error().message();
  EXPECT_TRUE(response->ok());
  EXPECT_TRUE(response->body.empty());
  EXPECT_EQ(taken, 200U * 100'001U);
  std::string expected;
  for (int i = 0; i < 200; ++i) expected += std::to_string(i % 10);
  EXPECT_EQ(digits, expected);
}

TEST(HttpCallApiClient, KeepsTheBodyOfAnErrorResponse) {
  ScriptedServer server([](ScriptedServer::Peer& peer) {
    peer.readRequest();
    peer.send("HTTP/1.1 404 No\r\nContent-Length: 15\r\n\r\n{\"reason\":\"no\"}");
    peer.awaitEnd();
  });
  HttpCallApiClient calls(addressOf(server));
  const Result<ApiResponse> response = calls.stream(
      "/x", "{}",
      [](std::string_view) -> Result<void> { return Error::internal("must not be handed on"); });
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->status, 404);
  EXPECT_EQ(reasonOf(*response), "no");
}

TEST(HttpCallApiClient, ReportsAnInterruptedResponse) {
  ScriptedServer server([](ScriptedServer::Peer& peer) {
    sendFirstChunk(peer, "half");
    peer.shutDown();
  });
  HttpCallApiClient calls(addressOf(server));
  const Result<ApiResponse> response =
      calls.stream("/x", "{}", [](std::string_view) -> Result<void> { return {}; });
  ASSERT_FALSE(response.has_value());
  EXPECT_NE(response.error().message().find("no response from http://127.0.0.1:"),
            std::string::npos);
}

TEST(HttpCallApiClient, EndsTheExchangeWhenTheReceiverFails) {
  ScriptedServer server([](ScriptedServer::Peer& peer) {
    sendFirstChunk(peer, "bytes");
    peer.awaitEnd();
  });
  HttpCallApiClient calls(addressOf(server));
  const Result<ApiResponse> response = calls.stream(
      "/x", "{}", [](std::string_view) -> Result<void> { return Error::unavailable("disk full"); });
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().message(), "disk full");
}

}  // namespace
}  // namespace spindle::transfer
