#include "http/client/client.h"

#include <atomic>
#include <filesystem>
#include <future>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/core/mutex.h"
#include "http/client/client_request_for_test.h"
#include "http/message/compression.h"
#include "http/testing/scripted_server.h"

namespace spindle::http {
namespace {

using namespace std::chrono_literals;

ClientRequest post(std::string url, std::string body) {
  ClientRequest request = get(std::move(url));
  request.method = Method::kPost;
  request.body = std::move(body);
  return request;
}

std::string encoded(Coding coding, std::string_view plain) {
  const auto encoder = Encoder::make(coding);
  std::string out = encoder->feed(plain, false);
  return out + encoder->finish();
}

std::string chunk(std::string_view bytes) {
  std::string size(16, '\0');
  size.resize(
      static_cast<std::size_t>(std::snprintf(size.data(), size.size(), "%zx", bytes.size())));
  return size + "\r\n" + std::string(bytes) + "\r\n";
}

constexpr std::string_view kChunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

void expectError(const Result<Response>& answer, ErrorCode code) {
  ASSERT_FALSE(answer) << answer->status << " " << answer->body.substr(0, 100);
  EXPECT_EQ(answer.error().code(), code) << answer.error().message();
}

TEST(Client, FetchesAResponse) {
  ScriptedServer server([](Peer& peer) {
    const std::string request = peer.readRequest();
    peer.send(okResponse(request, "X-Reply: yes\r\n"));
  });
  Client client{ClientOptions()};
  const auto answer = client.fetch(post(server.url("/a?b"), "the body"));
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->headers.get("x-reply"), "yes");
  EXPECT_TRUE(answer->body.starts_with("POST /a?b HTTP/1.1\r\nHost: 127.0.0.1:"));
  EXPECT_TRUE(answer->body.ends_with("Content-Length: 8\r\n\r\nthe body"));
}

TEST(Client, ReadsChunkedInterimAndBodilessResponses) {
  ScriptedServer server([](Peer& peer) {
    for (std::string request = peer.readRequest(); !request.empty(); request = peer.readRequest()) {
      if (request.starts_with("HEAD")) {
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n");
      } else if (request.starts_with("GET /204")) {
        peer.send("HTTP/1.1 204 No Content\r\n\r\n");
      } else if (request.starts_with("GET /304")) {
        peer.send("HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n");
      } else {
        peer.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n");
        peer.send(kChunkedHead);
        peer.send(chunk("hello") + chunk(" ") + chunk("world") + "0\r\n\r\n");
      }
    }
  });
  Client client{ClientOptions()};
  EXPECT_EQ(client.fetch(get(server.url()))->body, "hello world");
  EXPECT_EQ(client.fetch(get(server.url("/204")))->status, 204);
  EXPECT_EQ(client.fetch(get(server.url("/304")))->status, 304);
  ClientRequest head = get(server.url());
  head.method = Method::kHead;
  EXPECT_EQ(client.fetch(head)->headers.get("Content-Length"), "10");
  EXPECT_EQ(client.fetch(get(server.url()))->body, "hello world");
  EXPECT_EQ(server.connections(), 1);
}

TEST(Client, DecodesTheCodingItNegotiated) {
  const std::string plain(100000, 'x');
  for (const Coding coding : {Coding::kGzip, Coding::kZstd}) {
    const std::string header = "Content-Encoding: " + std::string(nameOf(coding)) + "\r\n";
    const std::string wire = encoded(coding, plain);
    ScriptedServer server(respondingWith(okResponse(wire, header)));
    Client client{ClientOptions()};
    const auto answer = client.fetch(get(server.url()));
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer->body, plain);
    EXPECT_EQ(answer->headers.find("Content-Encoding"), nullptr);

    ClientRequest raw = get(server.url());
    raw.headers.add("Accept-Encoding", nameOf(coding));
    EXPECT_EQ(client.fetch(raw)->body, wire);

    ClientRequest small = get(server.url());
    small.response_limit = plain.size() - 1;
    expectError(client.fetch(small), ErrorCode::kTooLarge);
    small.response_limit = plain.size();
    EXPECT_TRUE(client.fetch(small));
  }
}

TEST(Client, RejectsAnInvalidContentEncoding) {
  const std::string wire = encoded(Coding::kGzip, "plain");
  for (const std::string& body : {std::string("not gzip"), wire.substr(0, wire.size() - 1)}) {
    ScriptedServer server(respondingWith(okResponse(body, "Content-Encoding: gzip\r\n")));
    Client client{ClientOptions()};
    expectError(client.fetch(get(server.url())), ErrorCode::kUpstream);
  }
}

TEST(Client, EnforcesTheExactResponseLimit) {
  ScriptedServer server([](Peer& peer) {
    while (true) {
      const std::string request = peer.readRequest();
      if (request.empty()) return;
      const bool chunked = request.starts_with("GET /chunked");
      peer.send(chunked ? std::string(kChunkedHead) + chunk("12345") + chunk("67890") + "0\r\n\r\n"
                        : okResponse("1234567890"));
    }
  });
  Client client{ClientOptions()};
  for (const std::string_view target : {"/whole", "/chunked"}) {
    ClientRequest request = get(server.url(target));
    request.response_limit = 10;
    EXPECT_TRUE(client.fetch(request));
    request.response_limit = 9;
    expectError(client.fetch(request), ErrorCode::kTooLarge);
  }
}

TEST(Client, ReusesConnectionsThatStayOpen) {
  ScriptedServer server(respondingWith(okResponse("ok")));
  Client client{ClientOptions()};
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(client.fetch(get(server.url())));
  EXPECT_EQ(server.connections(), 1);

  ScriptedServer closing(respondingWith(okResponse("ok", "Connection: close\r\n")));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(client.fetch(get(closing.url())));
  EXPECT_EQ(closing.connections(), 3);
}

TEST(Client, RetriesOnceWhenAReusedConnectionIsClosed) {
  // The first connection answers one request and closes when the second has come.
  std::atomic<int> served = 0;
  ScriptedServer server([&served](Peer& peer) {
    const int number = ++served;
    peer.readRequest();
    peer.send(okResponse("first"));
    if (peer.readRequest().empty() || number % 2 == 1) return;
    peer.send(okResponse("second"));
  });
  Client client{ClientOptions()};
  EXPECT_TRUE(client.fetch(post(server.url(), "x")));
  expectError(client.fetch(post(server.url(), "x")), ErrorCode::kUpstream);
  EXPECT_EQ(server.connections(), 1);

  EXPECT_TRUE(client.fetch(get(server.url())));
  EXPECT_TRUE(client.fetch(get(server.url())));
  EXPECT_EQ(server.connections(), 2);
  served = 0;
  EXPECT_TRUE(client.fetch(get(server.url())));  // a fresh one: the last was closed by its script
  EXPECT_TRUE(client.fetch(get(server.url())));  // found dead, repeated on another
  EXPECT_EQ(server.connections(), 4);
}

TEST(Client, DoesNotRetryOnANewConnection) {
  ScriptedServer server([](Peer& peer) { peer.readRequest(); });
  Client client{ClientOptions()};
  expectError(client.fetch(get(server.url())), ErrorCode::kUpstream);
  EXPECT_EQ(server.connections(), 1);
}

TEST(Client, SkipsAPooledConnectionThatTheServerClosed) {
  std::promise<void> closed;
  std::atomic<int> served = 0;
  ScriptedServer server([&closed, &served](Peer& peer) {
    peer.readRequest();
    peer.send(okResponse("ok"));
    if (++served > 1) return;
    peer.shutDown();
    closed.set_value();
  });
  Client client{ClientOptions()};
  EXPECT_TRUE(client.fetch(post(server.url(), "x")));
  closed.get_future().get();
  EXPECT_TRUE(client.fetch(post(server.url(), "x")));  // not repeatable, and it need not be
  EXPECT_EQ(server.connections(), 2);
}

TEST(Client, ClosesIdleConnections) {
  std::promise<void> ended;
  ScriptedServer server([&ended](Peer& peer) {
    peer.readRequest();
    peer.send(okResponse("ok"));
    peer.awaitEnd();
    ended.set_value();
  });
  ClientOptions options;
  options.idle_timeout = 20ms;
  Client client(options);
  EXPECT_TRUE(client.fetch(get(server.url())));
  ended.get_future().get();
}

TEST(Client, ReportsWhyAServerIsUnusable) {
  std::uint16_t dead_port = 0;
  {
    ScriptedServer gone([](Peer& /*peer*/) {});
    dead_port = gone.port();
  }
  Client client{ClientOptions()};
  expectError(client.fetch(get("http://127.0.0.1:" + std::to_string(dead_port))),
              ErrorCode::kUpstream);
  expectError(client.fetch(get("http://no..such.name/")), ErrorCode::kUpstream);
  EXPECT_EQ(client.fetch(get("http://no..such.name/")).error().reason(), "dns_error");
  expectError(client.fetch(get("unix:/nowhere/at/all.sock:/")), ErrorCode::kUpstream);
  expectError(client.fetch(get("ftp://example.org/")), ErrorCode::kInvalidArgument);
  ClientRequest bad_header = get("http://127.0.0.1/");
  bad_header.headers.add("X", "a\r\nb");
  expectError(client.fetch(bad_header), ErrorCode::kInvalidArgument);

  for (const std::string_view answer :
       {"garbage\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\n"}) {
    ScriptedServer server([answer](Peer& peer) {
      peer.readRequest();
      peer.send(answer);
    });
    expectError(client.fetch(get(server.url())), ErrorCode::kUpstream);
  }
}

TEST(Client, TimesOutOnASlowServer) {
  ScriptedServer silent([](Peer& peer) { peer.awaitEnd(); });
  ScriptedServer dripping([](Peer& peer) {
    peer.readRequest();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    peer.awaitEnd();
  });
  ClientOptions options;
  options.connect_timeout = 50ms;
  Client client(options);
  for (const ScriptedServer* server : {&silent, &dripping}) {
    ClientRequest request = get(server->url());
    request.timeout = 50ms;
    expectError(client.fetch(request), ErrorCode::kTimeout);
  }
  // The TLS handshake belongs to connecting.
  const std::string url = "https://127.0.0.1:" + std::to_string(silent.port());
  expectError(client.fetch(get(url)), ErrorCode::kTimeout);
}

TEST(Client, ReadsAResponseThatPrecedesTheEndOfTheBody) {
  ScriptedServer server([](Peer& peer) {
    peer.read();
    peer.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n");
    peer.awaitEnd();
  });
  Client client{ClientOptions()};
  // NOLINTNEXTLINE(bugprone-string-constructor): a body that no socket buffer can hold
  const std::string body(10000000, 'x');
  const auto answer = client.fetch(post(server.url(), body));
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->status, 413);
}

TEST(Client, WaitsForAConnectionUntilTheTimeout) {
  std::promise<void> release;
  std::shared_future<void> released = release.get_future().share();
  ScriptedServer server([released](Peer& peer) {
    while (!peer.readRequest().empty()) {
      released.wait();
      peer.send(okResponse("ok"));
    }
  });
  ClientOptions options;
  options.connections_per_origin = 1;
  Client client(options);
  std::vector<std::future<Result<Response>>> answers;
  for (int i = 0; i < 3; ++i) {
    auto promise = std::make_shared<std::promise<Result<Response>>>();
    answers.push_back(promise->get_future());
    client.send(get(server.url()),
                [promise](Result<Response> answer) { promise->set_value(std::move(answer)); });
  }
  ClientRequest impatient = get(server.url());
  impatient.timeout = 30ms;
  const auto late = client.fetch(impatient);
  expectError(late, ErrorCode::kTimeout);
  EXPECT_EQ(late.error().message(), "No connection to the server was free in time.");
  release.set_value();
  for (auto& answer : answers) EXPECT_TRUE(answer.get());
  EXPECT_EQ(server.connections(), 1);
}

TEST(Client, ChecksEveryAddressWithTheFilter) {
  ScriptedServer server(respondingWith(okResponse("ok")));
  Client client{ClientOptions()};
  const std::string port = std::to_string(server.port());
  EXPECT_TRUE(client.fetch(get(server.url())));  // leaves a pooled connection behind

  std::vector<std::string> asked;
  const AddressFilter refuse = [&asked](std::string_view address,
                                        std::uint16_t at) -> Result<void> {
    asked.push_back(std::string(address) + " " + std::to_string(at));
    return Error::denied("not there");
  };
  for (const std::string host : {"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"}) {
    asked.clear();
    ClientRequest request = get("http://" + host + ":" + port + "/");
    request.filter = refuse;
    const auto answer = client.fetch(request);
    expectError(answer, ErrorCode::kPermissionDenied);
    EXPECT_EQ(answer.error().message(), "not there");
    ASSERT_FALSE(asked.empty());
    for (const std::string& one : asked) {
      EXPECT_TRUE(one == "127.0.0.1 " + port || one == "::1 " + port) << one;
    }
  }
  EXPECT_EQ(server.connections(), 1);

  ClientRequest allowed = get(server.url());
  allowed.filter = [](std::string_view, std::uint16_t) { return Result<void>(); };
  EXPECT_TRUE(client.fetch(allowed));
  EXPECT_EQ(server.connections(), 1);

  ClientRequest over_unix = get("unix:/tmp/x.sock:/");
  over_unix.filter = allowed.filter;
  expectError(client.fetch(over_unix), ErrorCode::kPermissionDenied);
}

TEST(Client, SupportsUnixSockets) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("spindle-client-test-" + std::to_string(::getpid()) + ".sock");
  std::filesystem::remove(path);
  ScriptedServer server(
      [](Peer& peer) {
        for (std::string request = peer.readRequest(); !request.empty();
             request = peer.readRequest()) {
          peer.send(okResponse(request.substr(0, request.find(" HTTP"))));
        }
      },
      path.string());
  Client client{ClientOptions()};
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.fetch(get("unix:" + path.string() + ":/v1/models?x"));
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer->body, "GET /v1/models?x");
  }
  EXPECT_EQ(server.connections(), 1);
  std::filesystem::remove(path);
}

TEST(Client, LetsACallbackSendAgain) {
  ScriptedServer server(respondingWith(okResponse("ok")));
  Client client{ClientOptions()};
  std::promise<bool> last;
  client.send(get(server.url()), [&](const Result<Response>& first) {
    client.send(get(server.url()),
                [&last, is_good = first.has_value()](const Result<Response>& second) {
                  last.set_value(is_good && second);
                });
  });
  EXPECT_TRUE(last.get_future().get());
  EXPECT_EQ(server.connections(), 1);
}

}  // namespace
}  // namespace spindle::http
