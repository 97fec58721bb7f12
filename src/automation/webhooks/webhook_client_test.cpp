#include "automation/webhooks/webhook_client.h"

#include <atomic>

#include <gtest/gtest.h>

#include "http/client/client.h"
#include "http/testing/scripted_server.h"

namespace spindle::automation {
namespace {

using http::okResponse;
using http::ScriptedServer;
using Peer = ScriptedServer::Peer;

class WebhookClientTest : public ::testing::Test {
 protected:
  Attempt post(const std::string& url,
               const http::EgressOptions& options = {.allow_private = true}) {
    const WebhookClient client(client_, http::EgressPolicy(options));
    return client.send({url, {{"Content-Type", "application/json"}, {"X-Own", "1"}}, "{}"});
  }

  http::Client client_{http::ClientOptions()};
};

TEST_F(WebhookClientTest, SendsBodyAndHeaders) {
  std::string request;
  ScriptedServer server([&](Peer& peer) {
    request = peer.readRequest();
    peer.send(okResponse("thanks", "X-Reply: yes\r\n"));
  });
  const Attempt attempt = post(server.url("/hook?a=b"));
  ASSERT_TRUE(attempt.response) << attempt.error_code;
  EXPECT_TRUE(attempt.succeeded());
  EXPECT_EQ(attempt.response->body, "thanks");
  EXPECT_FALSE(attempt.response->truncated);
  EXPECT_TRUE(request.starts_with("POST /hook?a=b HTTP/1.1\r\n"));
  EXPECT_TRUE(request.ends_with("\r\n\r\n{}"));
  EXPECT_NE(request.find("X-Own: 1\r\n"), std::string::npos);
  for (const char* unsent : {"Accept-Encoding", "Expect", "Cookie"}) {
    EXPECT_EQ(request.find(unsent), std::string::npos) << unsent;
  }
}

TEST_F(WebhookClientTest, BlocksANameThatResolvesToAPrivateAddress) {
  ScriptedServer server(http::respondingWith(okResponse("never")));
  std::atomic<int> asked = 0;
  http::ClientOptions options;
  options.look_up = [&](const std::string& host) {
    EXPECT_EQ(host, "hooks.example.com");
    ++asked;
    return std::vector<std::string>{"127.0.0.1"};
  };
  http::Client turning(options);
  const WebhookClient client(turning, http::EgressPolicy({.allow_http = true}));
  const std::string url = "http://hooks.example.com:" + std::to_string(server.port()) + "/";
  // The rules allow the name itself.
  EXPECT_EQ(client.problemOf(url), std::nullopt);
  EXPECT_EQ(client.send({url, {}, "{}"}).error_code, "blocked_address");
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(server.connections(), 0);
  const WebhookClient open(turning, http::EgressPolicy({.allow_private = true}));
  EXPECT_TRUE(open.send({url, {}, "{}"}).succeeded());
  // An idle connection of another webhook is not used either.
  EXPECT_EQ(client.send({url, {}, "{}"}).error_code, "blocked_address");
}

TEST_F(WebhookClientTest, LimitsTheTimeOfTheWholeResponse) {
  ScriptedServer server([](Peer& peer) {
    peer.readRequest();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nsome");
    peer.awaitEnd();
  });
  const WebhookClient client(client_, http::EgressPolicy({.allow_private = true}),
                             std::chrono::milliseconds(100));
  const Attempt attempt = client.send({server.url(), {}, "{}"});
  EXPECT_TRUE(attempt.succeeded()) << "the status has decided";
  EXPECT_EQ(attempt.response->body, "some");
  EXPECT_TRUE(attempt.response->truncated);
}

TEST_F(WebhookClientTest, LimitsTheTimeToTheFirstByte) {
  ScriptedServer server([](Peer& peer) {
    peer.readRequest();
    peer.awaitEnd();
  });
  const WebhookClient client(client_, http::EgressPolicy({.allow_private = true}),
                             std::chrono::milliseconds(100));
  EXPECT_EQ(client.send({server.url(), {}, "{}"}).error_code, "timeout");
}

TEST_F(WebhookClientTest, DoesNotFollowRedirects) {
  ScriptedServer target(http::respondingWith(okResponse("never")));
  ScriptedServer server(http::respondingWith("HTTP/1.1 302 Found\r\nLocation: " + target.url("/") +
                                             "\r\nContent-Length: 0\r\n\r\n"));
  const Attempt attempt = post(server.url());
  ASSERT_TRUE(attempt.response);
  EXPECT_EQ(attempt.response->status, 302);
  EXPECT_FALSE(attempt.succeeded());
  EXPECT_EQ(target.connections(), 0);
}

TEST_F(WebhookClientTest, TruncatesLongResponses) {
  ScriptedServer server([](Peer& peer) {
    peer.readRequest();
    peer.send("HTTP/1.1 500 No\r\nContent-Length: 100000000\r\n\r\n");
    const std::string piece(4096, 'x');
    while (peer.send(piece)) {
    }
  });
  const Attempt attempt = post(server.url());
  ASSERT_TRUE(attempt.response) << attempt.error_code;
  EXPECT_EQ(attempt.response->status, 500);
  EXPECT_EQ(attempt.response->body.size(), 16U * 1024);
  EXPECT_TRUE(attempt.response->truncated);
}

TEST_F(WebhookClientTest, KeepsTheStatusOfAnIncompleteResponse) {
  ScriptedServer server([](Peer& peer) {
    peer.readRequest();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
  });
  const Attempt attempt = post(server.url());
  ASSERT_TRUE(attempt.response);
  EXPECT_TRUE(attempt.succeeded());
  EXPECT_EQ(attempt.response->body, "half");
  EXPECT_TRUE(attempt.response->truncated);
}

TEST_F(WebhookClientTest, ReportsAClosedConnection) {
  ScriptedServer server([](Peer& peer) { peer.readRequest(); });
  EXPECT_EQ(post(server.url()).error_code, "connect_error");
}

TEST_F(WebhookClientTest, ReportsAnUnreachableEndpoint) {
  std::uint16_t port = 0;
  {
    port = ScriptedServer([](Peer&) {}).port();
  }
  EXPECT_EQ(post("http://127.0.0.1:" + std::to_string(port) + "/").error_code, "connect_error");
  EXPECT_EQ(post("https://no-such-host.invalid/").error_code, "dns_error");
}

TEST_F(WebhookClientTest, ReportsAnEndpointWithoutTls) {
  ScriptedServer server([](Peer& peer) { peer.send(okResponse("plain")); });
  const Attempt attempt = post("https://127.0.0.1:" + std::to_string(server.port()) + "/");
  EXPECT_EQ(attempt.error_code, "tls_error");
}

TEST_F(WebhookClientTest, RejectsPrivateAddressesWhenSaved) {
  ScriptedServer server(http::respondingWith(okResponse("never")));
  EXPECT_EQ(post(server.url(), {}).error_code, "url_not_allowed");
  EXPECT_EQ(post(server.url(), {.allow_http = true}).error_code, "url_not_allowed");
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(WebhookClientTest, BlocksPrivateAddressesWhenCalled) {
  ScriptedServer server(http::respondingWith(okResponse("never")));
  // The system resolves a name of this form to 127.0.0.1; the name alone does not show it.
  const std::string url = "http://0x7f000001:" + std::to_string(server.port()) + "/";
  EXPECT_EQ(post(url, {.allow_http = true}).error_code, "blocked_address");
  EXPECT_EQ(server.connections(), 0);
  EXPECT_TRUE(post(url).succeeded());
}

TEST_F(WebhookClientTest, AllowsConfiguredNetworks) {
  ScriptedServer server(http::respondingWith(okResponse("yes")));
  EXPECT_TRUE(
      post(server.url(), {.allow_http = true, .allow_cidrs = {"127.0.0.1/32"}}).succeeded());
}

TEST_F(WebhookClientTest, RejectsInvalidHeaderValues) {
  ScriptedServer server(http::respondingWith(okResponse("never")));
  const WebhookClient client(client_, http::EgressPolicy({.allow_private = true}));
  const Attempt attempt =
      client.send({server.url(), {{"Authorization", "Bearer a\r\nX-More: b"}}, "{}"});
  EXPECT_EQ(attempt.error_code, "bad_header");
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(WebhookClientTest, ValidatesUrls) {
  const WebhookClient client(client_, http::EgressPolicy({}));
  EXPECT_FALSE(client.problemOf("https://hooks.example.com/services/T0/B0?x=1"));
  for (const char* bad :
       {"", "hooks.example.com", "ftp://hooks.example.com/", "unix:/run/x.sock:/",
        "https://user:pass@hooks.example.com/", "https://hooks.example.com/#part",
        "https://hooks.example.com:22/", "http://hooks.example.com/", "https://localhost/",
        "https://[::1]/", "https://10.0.0.1/", "https://169.254.169.254/latest"}) {
    EXPECT_TRUE(client.problemOf(bad)) << bad;
  }
  EXPECT_EQ(hostOf("https://Hooks.Example.com:8443/secret"), "hooks.example.com");
  EXPECT_EQ(hostOf("nonsense"), "");
}

}  // namespace
}  // namespace spindle::automation
