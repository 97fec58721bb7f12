#include <thread>

#include "http/message/compression.h"
#include "http/server/server_fixture.h"

namespace spindle::http {
namespace {

using std::chrono::milliseconds;

class ServerLimits : public ServerTest {
 protected:
  /// Expects a refusal: the status, a detail, and the end of the connection.
  void expectRefusal(const std::string& bytes, int status) {
    BlockingClient client(port());
    const WireResponse response = client.ask(bytes);
    EXPECT_EQ(response.status, status) << bytes.substr(0, 200);
    EXPECT_EQ(response.headers.get("Content-Type"), "application/json");
    EXPECT_EQ(response.headers.get("Connection"), "close");
    EXPECT_TRUE(response.body.starts_with(R"({"detail":")")) << response.body;
    EXPECT_EQ(response.headers.get("X-Request-Id").size(), 36U);
    EXPECT_TRUE(client.atEnd());
    EXPECT_FALSE(client.wasReset());
  }

  static std::string coded(std::string_view coding, const std::string& body) {
    return post("/", body, "Content-Encoding: " + std::string(coding) + "\r\n");
  }
};

TEST_F(ServerLimits, RefusesMalformedRequests) {
  start();
  expectRefusal("nonsense\r\n\r\n", 400);
  expectRefusal("GET / HTTP/1.1\r\n\r\n", 400);
  expectRefusal("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", 400);
  expectRefusal(
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: "
      "chunked\r\n\r\n0\r\n\r\n",
      400);
  expectRefusal("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501);
  expectRefusal("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400);
  EXPECT_EQ(rejected("malformed"), 5U);
}

TEST_F(ServerLimits, RefusesHeadsThatAreTooLarge) {
  options_.limits.header_bytes = 2000;
  start();
  expectRefusal("GET /" + std::string(3000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n", 414);
  expectRefusal(get("/", "A: " + std::string(3000, 'a') + "\r\n"), 431);
  EXPECT_EQ(BlockingClient(port()).ask(get("/", "A: " + std::string(1500, 'a') + "\r\n")).status,
            200);
}

TEST_F(ServerLimits, RefusesALargeBodyByItsLengthBeforeReadingIt) {
  service_.body_limit = 1000;
  start();
  expectRefusal("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n", 413);
  expectRefusal(
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n"
      "Expect: 100-continue\r\n\r\n",
      413);
  EXPECT_EQ(BlockingClient(port()).ask(post("/", std::string(1000, 'x'))).status, 200);
}

TEST_F(ServerLimits, RefusesInTheErrorFormatOfTheRoute) {
  service_.on_admit = [](const Request&) {
    Admission admission;
    admission.body_limit = 10;
    admission.errors = ErrorShape::kDetailWithCode;
    return admission;
  };
  start();
  const WireResponse large = BlockingClient(port()).ask(post("/", std::string(11, 'x')));
  EXPECT_EQ(large.body, R"({"detail":"The request body is too large","code":"too_large"})");
  const WireResponse coding = BlockingClient(port()).ask(coded("br", "x"));
  EXPECT_EQ(coding.body, R"({"detail":"This content coding is not supported",)"
                         R"("code":"unsupported_media_type"})");
}

TEST_F(ServerLimits, AClientThatStillSendsGetsToReadTheRefusal) {
  service_.body_limit = 1000;
  start();
  BlockingClient client(port());
  std::thread sender([&client] { client.send(post("/", std::string(3'000'000, 'x'))); });
  EXPECT_EQ(client.receive().status, 413);
  sender.join();
}

TEST_F(ServerLimits, RefusesALargeChunkedBodyWhenItGrowsOverTheLimit) {
  service_.body_limit = 10;
  start();
  expectRefusal(
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "8\r\n12345678\r\n8\r\n12345678\r\n0\r\n\r\n",
      413);
}

TEST_F(ServerLimits, RefusesACompressedBodyThatGrowsOverTheLimit) {
  service_.body_limit = 100'000;
  start();
  // NOLINTNEXTLINE(bugprone-string-constructor): a large text with a small compressed form
  const std::string zeros(50'000'000, '\0');
  for (const Coding coding : {Coding::kGzip, Coding::kZstd}) {
    const std::unique_ptr<Encoder> encoder = Encoder::make(coding);
    std::string bomb = encoder->feed(zeros, false);
    bomb += encoder->finish();
    ASSERT_LT(bomb.size(), 100'000U);
    // Connects only now, because the server closes connections that send nothing.
    EXPECT_EQ(BlockingClient(port()).ask(coded(nameOf(coding), bomb)).status, 413);
  }
  EXPECT_EQ(rejected("body_too_large"), 2U);
}

TEST_F(ServerLimits, RejectsBodiesWithInvalidContentCoding) {
  start();
  BlockingClient client(port());
  EXPECT_EQ(client.ask(coded("gzip", "not gzip at all")).status, 400);
  const std::unique_ptr<Encoder> encoder = Encoder::make(Coding::kGzip);
  std::string text = encoder->feed("some text", false);
  text += encoder->finish();
  EXPECT_EQ(client.ask(coded("gzip", text.substr(0, text.size() - 4))).status, 400);
  EXPECT_EQ(client.ask(coded("br", "x")).status, 415);
  EXPECT_EQ(client.ask(coded("gzip, gzip", "x")).status, 415);
  EXPECT_EQ(
      client.ask(post("/", "x", "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n")).status,
      415);
  EXPECT_EQ(client.ask(post("/", "fine")).status, 200);
}

TEST_F(ServerLimits, TimesOutOnSlowHeaders) {
  options_.limits.header_timeout = milliseconds(40);
  start();
  expectRefusal("GET / HTTP/1.1\r\nHost", 408);
  EXPECT_EQ(rejected("header_timeout"), 1U);
  BlockingClient silent(port());
  EXPECT_TRUE(silent.atEnd()) << "who says nothing hears nothing";
}

TEST_F(ServerLimits, TimesOutOnSlowBodies) {
  options_.limits.body_timeout = milliseconds(40);
  start();
  expectRefusal("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc", 408);
  expectRefusal("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", 408);
  EXPECT_EQ(rejected("body_timeout"), 2U);
}

TEST_F(ServerLimits, ClosesIdleConnections) {
  options_.limits.idle_timeout = milliseconds(40);
  start();
  BlockingClient client(port());
  EXPECT_EQ(client.ask(get("/")).status, 200);
  EXPECT_TRUE(client.atEnd());
  EXPECT_FALSE(client.wasReset());
}

TEST_F(ServerLimits, TimesOutOnClientsThatDoNotRead) {
  options_.limits.write_timeout = milliseconds(40);
  service_.on_handle = [](Request& /*request*/) {
    Response response;
    response.body.assign(64UL * 1024 * 1024, 'x');
    return response;
  };
  start();
  BlockingClient client(port());
  client.send(get("/"));
  waitUntil([this] { return connections() == 1; });
  waitUntil([this] { return connections() == 0; });
}

TEST_F(ServerLimits, AClientThatVanishesInTheMiddleDoesNoHarm) {
  start();
  for (const std::string& part :
       {std::string("GET / HT"),
        std::string("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\na"), get("/")}) {
    BlockingClient gone(port());
    gone.send(part);
    gone.reset();
  }
  EXPECT_EQ(BlockingClient(port()).ask(get("/")).status, 200);
  waitUntil([this] { return connections() == 0; });
}

TEST_F(ServerLimits, RejectsConnectionsOverTheLimit) {
  options_.limits.connections = 1;
  start();
  auto first = std::make_unique<BlockingClient>(port());
  EXPECT_EQ(first->ask(get("/")).status, 200);
  {
    BlockingClient second(port());
    const WireResponse response = second.ask(get("/"));
    EXPECT_EQ(response.status, 503);
    EXPECT_EQ(response.headers.get("Retry-After"), "1");
    EXPECT_EQ(response.headers.get("Connection"), "close");
    EXPECT_TRUE(response.complete);
    EXPECT_TRUE(response.body.ends_with(R"("})")) << response.body;
    EXPECT_TRUE(second.atEnd());
  }
  EXPECT_EQ(rejected("connections"), 1U);
  EXPECT_EQ(first->ask(get("/")).status, 200);
  first.reset();
  waitUntil([this] { return connections() == 0; });
  EXPECT_EQ(BlockingClient(port()).ask(get("/")).status, 200);
}

TEST_F(ServerLimits, RejectsRequestsWhenTheQueueIsFull) {
  options_.worker_threads = 1;
  options_.limits.queued_requests = 1;
  std::promise<void> entered;
  std::promise<void> release;
  std::shared_future<void> open = release.get_future().share();
  service_.on_handle = [&](Request& request) {
    if (request.target == "/first") entered.set_value();
    open.wait();
    return Response(200);
  };
  start();
  BlockingClient first(port());
  BlockingClient second(port());
  BlockingClient third(port());
  first.send(get("/first"));
  entered.get_future().wait();
  second.send(get("/"));
  Gauge& queued = metrics_.gauge("spindle_http_queued_requests", "");
  waitUntil([&queued] { return queued.value() == 1; });
  const WireResponse busy = third.ask(get("/"));
  EXPECT_EQ(busy.status, 503);
  EXPECT_EQ(busy.headers.get("Retry-After"), "1");
  EXPECT_EQ(busy.body, R"({"detail":"Server is overloaded, try again shortly"})");
  EXPECT_EQ(rejected("overload"), 1U);
  release.set_value();
  EXPECT_EQ(first.receive().status, 200);
  EXPECT_EQ(second.receive().status, 200);
  EXPECT_EQ(third.ask(get("/")).status, 200) << "the connection was kept";
}

}  // namespace
}  // namespace spindle::http
