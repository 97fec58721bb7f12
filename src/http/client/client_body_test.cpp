#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "http/client/client.h"
#include "http/testing/scripted_server.h"

namespace spindle::http {
namespace {

constexpr std::string_view kDone = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

ClientRequest putOf(std::string url, RequestBodySource body) {
  ClientRequest request;
  request.method = Method::kPut;
  request.url = std::move(url);
  request.body_source = std::move(body);
  return request;
}

RequestBodySource bodyOf(const std::string& text) {
  return {text.size(), [&text](std::uint64_t offset, std::size_t most) -> Result<std::string> {
            return text.substr(offset, most);
          }};
}

TEST(ClientBody, IsReadWhileItIsSent) {
  std::string text(3'500'000, 'x');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 23);
  std::string got;
  ScriptedServer server([&](Peer& peer) {
    got = peer.readRequest();
    peer.send(kDone);
  });
  Client client{ClientOptions()};
  std::size_t largest = 0;
  RequestBodySource body = bodyOf(text);
  body.read = [&, read = body.read](std::uint64_t offset, std::size_t most) {
    largest = std::max(largest, most);
    return read(offset, most);
  };
  const Result<Response> response = client.fetch(putOf(server.url(), body));
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "ok");
  EXPECT_NE(got.find("Content-Length: 3500000\r\n"), std::string::npos);
  EXPECT_TRUE(got.ends_with(text));
  EXPECT_LE(largest, 1UL << 20);
}

TEST(ClientBody, MayBeEmpty) {
  const std::string text;
  std::string got;
  ScriptedServer server([&](Peer& peer) {
    got = peer.readRequest();
    peer.send(kDone);
  });
  Client client{ClientOptions()};
  EXPECT_TRUE(client.fetch(putOf(server.url(), bodyOf(text))));
  EXPECT_NE(got.find("Content-Length: 0\r\n"), std::string::npos);
}

TEST(ClientBody, ReadErrorFailsTheRequest) {
  ScriptedServer server([](Peer& peer) { peer.awaitEnd(); });
  Client client{ClientOptions()};
  RequestBodySource broken{10, [](std::uint64_t, std::size_t) -> Result<std::string> {
                             return Error::unavailable("The file is gone.");
                           }};
  const Result<Response> response = client.fetch(putOf(server.url(), broken));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().message(), "The file is gone.");
  RequestBodySource early{
      10, [](std::uint64_t, std::size_t) -> Result<std::string> { return std::string(); }};
  EXPECT_FALSE(client.fetch(putOf(server.url(), early)));
}

}  // namespace
}  // namespace spindle::http
