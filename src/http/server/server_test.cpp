#include <atomic>
#include <stdexcept>
#include <thread>

#include "base/core/log.h"
#include "base/core/mutex.h"
#include "http/message/compression.h"
#include "http/server/server_fixture.h"

namespace spindle::http {
namespace {

std::string decoded(Coding coding, std::string_view bytes) {
  std::string out;
  const std::unique_ptr<Decoder> decoder = Decoder::make(coding);
  EXPECT_TRUE(decoder->feed(bytes, out, 1 << 24));
  EXPECT_TRUE(decoder->finish());
  return out;
}

std::string encoded(Coding coding, std::string_view bytes) {
  const std::unique_ptr<Encoder> encoder = Encoder::make(coding);
  std::string out = encoder->feed(bytes, false);
  return out + encoder->finish();
}

TEST_F(ServerTest, AnswersRequestsOneAfterTheOtherOnOneConnection) {
  start();
  BlockingClient client(port());
  for (int i = 0; i < 3; ++i) {
    const WireResponse response = client.ask(post("/a?b=" + std::to_string(i), "body"));
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "POST /a?b=" + std::to_string(i) + " body");
    EXPECT_EQ(response.headers.get("Content-Length"), std::to_string(response.body.size()));
    EXPECT_NE(response.headers.get("Date"), "");
    EXPECT_EQ(response.headers.find("Connection"), nullptr);
  }
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  start();
  BlockingClient client(port());
  std::string all;
  for (std::size_t i = 0; i < 100; ++i)
    all += post("/" + std::to_string(i), std::string(i * 7, 'x'));
  client.send(all);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(client.receive().body, "POST /" + std::to_string(i) + " " + std::string(i * 7, 'x'));
  }
}

TEST_F(ServerTest, AnswersRequestsThatArriveByteByByte) {
  start();
  BlockingClient client(port());
  for (const char c : post("/slow", "body") + get("/next")) client.send(std::string_view(&c, 1));
  EXPECT_EQ(client.receive().body, "POST /slow body");
  EXPECT_EQ(client.receive().body, "GET /next ");
}

TEST_F(ServerTest, ClosesAfterTheAnswerWhenAskedTo) {
  start();
  BlockingClient client(port());
  const WireResponse response = client.ask(get("/", "Connection: close\r\n"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.get("Connection"), "close");
  EXPECT_TRUE(client.atEnd());
}

TEST_F(ServerTest, SupportsHttp10) {
  start();
  BlockingClient once(port());
  const WireResponse response = once.ask("GET /old HTTP/1.0\r\n\r\n");
  EXPECT_EQ(response.body, "GET /old ");
  EXPECT_EQ(response.headers.get("Connection"), "close");
  EXPECT_TRUE(once.atEnd());
  BlockingClient kept(port());
  for (int i = 0; i < 2; ++i) {
    const WireResponse again = kept.ask("GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(again.headers.get("Connection"), "keep-alive");
  }
}

TEST_F(ServerTest, AnswersAClientThatFinishedSending) {
  start();
  BlockingClient client(port());
  client.send(get("/a") + get("/b"));
  client.finishSending();
  EXPECT_EQ(client.receive().body, "GET /a ");
  EXPECT_EQ(client.receive().body, "GET /b ");
  EXPECT_TRUE(client.atEnd());
}

TEST_F(ServerTest, ReadsChunkedBodies) {
  start();
  BlockingClient client(port());
  const std::string head = "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(client.ask(head + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: v\r\n\r\n").body,
            "POST /c abcde");
  EXPECT_EQ(client.ask(head + "0\r\n\r\n").body, "POST /c ");
}

TEST_F(ServerTest, ReadsLargeBodies) {
  service_.body_limit = 10'000'000;
  service_.on_handle = [](Request& request) {
    Response response;
    response.body = std::move(request.body);
    return response;
  };
  start();
  std::string body(5'000'000, ' ');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>('a' + i % 23);
  BlockingClient client(port());
  std::thread sender([&] { client.send(post("/", body)); });
  const WireResponse response = client.receive();
  sender.join();
  EXPECT_TRUE(response.complete);
  EXPECT_TRUE(response.body == body);
}

TEST_F(ServerTest, Sends100Continue) {
  start();
  BlockingClient client(port());
  client.send("POST /e HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive().status, 100);
  EXPECT_EQ(client.ask("ok").body, "POST /e ok");
}

TEST_F(ServerTest, DecodesRequestBodies) {
  start();
  BlockingClient client(port());
  const std::string text(5000, 'z');
  for (const Coding coding : {Coding::kGzip, Coding::kDeflate, Coding::kZstd}) {
    const std::string field = "Content-Encoding: " + std::string(nameOf(coding)) + "\r\n";
    EXPECT_EQ(client.ask(post("/", encoded(coding, text), field)).body, "POST / " + text);
  }
  EXPECT_EQ(client.ask(post("/", "plain", "Content-Encoding: identity\r\n")).body, "POST / plain");
}

TEST_F(ServerTest, CompressesAnswersForClientsThatAskForIt) {
  const std::string text(5000, 'z');
  service_.on_handle = [&text](Request& /*request*/) {
    Response response;
    response.headers.add("Content-Type", "application/json");
    response.body = text;
    return response;
  };
  start();
  BlockingClient client(port());
  for (const Coding coding : {Coding::kGzip, Coding::kZstd}) {
    const std::string name(nameOf(coding));
    const WireResponse response = client.ask(get("/", "Accept-Encoding: " + name + "\r\n"));
    EXPECT_EQ(response.headers.get("Content-Encoding"), name);
    EXPECT_EQ(response.headers.get("Vary"), "Accept-Encoding");
    EXPECT_LT(response.body.size(), 200U);
    EXPECT_EQ(decoded(coding, response.body), text);
  }
  EXPECT_EQ(client.ask(get("/")).body, text);
}

TEST_F(ServerTest, HeadIsGetWithoutTheBody) {
  start();
  BlockingClient client(port());
  client.send("HEAD /h HTTP/1.1\r\nHost: a\r\n\r\n" + get("/after"));
  const WireResponse response = client.receive(true);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.get("Content-Length"), std::to_string(std::string("GET /h ").size()));
  EXPECT_EQ(client.receive().body, "GET /after ");
}

TEST_F(ServerTest, SendsNoBodyWithStatusesThatHaveNone) {
  service_.on_handle = [](Request& /*request*/) {
    Response response(204);
    response.body = "ignored";
    return response;
  };
  start();
  BlockingClient client(port());
  for (int i = 0; i < 2; ++i) {
    const WireResponse response = client.ask(get("/"));
    EXPECT_EQ(response.status, 204);
    EXPECT_EQ(response.headers.find("Content-Length"), nullptr);
  }
}

TEST_F(ServerTest, PassesUnknownMethodsToTheService) {
  service_.on_handle = [](Request& request) {
    return Response(request.method == Method::kOther ? 405 : 200);
  };
  start();
  BlockingClient client(port());
  EXPECT_EQ(client.ask("BREW / HTTP/1.1\r\nHost: a\r\n\r\n").status, 405);
}

TEST_F(ServerTest, HandlesPreflightsAndAddsCorsFields) {
  options_.cors.allowed_origins = {"https://a.example"};
  start();
  BlockingClient client(port());
  const WireResponse preflight = client.ask(
      "OPTIONS /x HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\n"
      "Access-Control-Request-Method: PUT\r\n\r\n");
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.headers.get("Access-Control-Allow-Origin"), "https://a.example");
  const WireResponse actual = client.ask(get("/x", "Origin: https://a.example\r\n"));
  EXPECT_EQ(actual.status, 200);
  EXPECT_EQ(actual.headers.get("Access-Control-Allow-Origin"), "https://a.example");
  EXPECT_EQ(actual.headers.get("Vary"), "Origin");
}

TEST_F(ServerTest, TakesTheClientsRequestIdOrMakesOne) {
  service_.on_handle = [](Request& request) {
    Response response;
    response.body = request.request_id;
    return response;
  };
  start();
  BlockingClient client(port());
  const WireResponse given = client.ask(get("/", "X-Request-Id: my.id_1-A\r\n"));
  EXPECT_EQ(given.body, "my.id_1-A");
  EXPECT_EQ(given.headers.get("X-Request-Id"), "my.id_1-A");
  const std::string unusable[] = {"a b", "", "a/b", std::string(129, 'a')};
  for (const std::string& id : unusable) {
    const WireResponse made = client.ask(get("/", "X-Request-Id: " + id + "\r\n"));
    EXPECT_EQ(made.body.size(), 36U) << id;
    EXPECT_EQ(made.headers.get("X-Request-Id"), made.body);
  }
}

TEST_F(ServerTest, PassesConnectionDataToTheService) {
  service_.on_handle = [](Request& request) {
    Response response;
    response.body = request.peer_address + (request.secure ? " secure" : " plain");
    return response;
  };
  start();
  EXPECT_EQ(BlockingClient(port()).ask(get("/")).body, "127.0.0.1 plain");
}

TEST_F(ServerTest, AnswersARefusalWithoutReadingTheBody) {
  service_.on_admit = [](const Request& head) {
    Admission admission;
    admission.body_limit = 1'000'000;
    if (head.headers.find("Authorization") == nullptr) {
      admission.refusal.emplace(401);
      admission.refusal->body = "who?";
      admission.route = "/secret";
    }
    return admission;
  };
  start();
  BlockingClient client(port());
  EXPECT_EQ(client.ask(post("/a", "small")).status, 401);
  EXPECT_EQ(client.ask(post("/b", "small", "Authorization: x\r\n")).body, "POST /b small")
      << "a small body is skipped and the connection kept";
  const WireResponse closing = client.ask(post("/c", std::string(500'000, 'x')));
  EXPECT_EQ(closing.status, 401);
  EXPECT_EQ(closing.headers.get("Connection"), "close");
  EXPECT_TRUE(client.atEnd());
  EXPECT_EQ(metrics_
                .counter("spindle_http_requests_total", "",
                         {{"method", "POST"}, {"route", "/secret"}, {"status", "401"}})
                .value(),
            2U);
}

TEST_F(ServerTest, ExceptionIsA500WithoutDetails) {
  service_.on_handle = [](Request& request) -> Response {
    if (request.target == "/odd") throw 42;
    throw std::runtime_error("secret path /etc/x");
  };
  Mutex mutex;
  std::string log;
  setLogSinkForTest([&](std::string_view line) {
    const MutexLock lock(mutex);
    log += line;
  });
  start();
  BlockingClient client(port());
  const WireResponse response = client.ask(get("/", "X-Request-Id: abc\r\n"));
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.body, R"({"detail":"Internal Server Error"})");
  EXPECT_EQ(client.ask(get("/odd")).status, 500);
  server_->stop();
  setLogSinkForTest({});
  EXPECT_NE(log.find("secret path"), std::string::npos);
  EXPECT_NE(log.find("error_id"), std::string::npos);
  EXPECT_NE(log.find(R"("request_id":"abc")"), std::string::npos);
}

TEST_F(ServerTest, WritesAnAccessLogWithoutTheQuery) {
  options_.access_log = true;
  service_.on_handle = [](Request& request) {
    request.route = "/echo/{id}";
    request.principal.emplace();
    request.principal->username = "ada";
    Response response(201);
    response.body = "12345";
    return response;
  };
  std::string log;
  setLogSinkForTest([&log](std::string_view line) { log += line; });
  start();
  EXPECT_EQ(BlockingClient(port()).ask(get("/echo/7?key=secret", "X-Request-Id: r1\r\n")).status,
            201);
  server_->stop();
  setLogSinkForTest({});
  for (const std::string_view part :
       {R"("event":"request","method":"GET","path":"/echo/7","route":"/echo/{id}","status":201)",
        R"("bytes":5)", R"("duration_ms":)", R"("request_id":"r1")", R"("user":"ada")",
        R"("peer":"127.0.0.1")"}) {
    EXPECT_NE(log.find(part), std::string::npos) << part << " in " << log;
  }
  EXPECT_EQ(log.find("secret"), std::string::npos);
}

TEST_F(ServerTest, CountsRequestsByRoute) {
  start();
  {
    BlockingClient client(port());
    client.ask(get("/a"));
    client.ask(get("/b"));
    client.ask("nonsense\r\n\r\n");
  }
  server_->stop();
  const std::string text = metrics_.prometheusText();
  for (const std::string_view line :
       {R"(spindle_http_requests_total{method="GET",route="/echo",status="200"} 2)",
        R"(spindle_http_requests_total{method="OTHER",route="none",status="400"} 1)",
        R"(spindle_http_request_seconds_count{route="/echo"} 2)", "spindle_http_connections 0",
        "spindle_http_queued_requests 0", R"(spindle_http_rejected_total{reason="malformed"} 1)"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << " in " << text;
  }
}

TEST_F(ServerTest, SpreadsManyClientsOverItsThreads) {
  options_.io_threads = 3;
  start();
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  threads.reserve(6);
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      BlockingClient client(port());
      for (int i = 0; i < 200; ++i) {
        const std::string body = std::to_string(t * 1000 + i);
        if (client.ask(post("/", body)).body == "POST / " + body) ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 1200);
}

TEST_F(ServerTest, ReportsWhyItCannotListen) {
  start();
  ServerOptions same = options_;
  same.port = port();
  try {
    const Server second(same, service_, metrics_);
    FAIL() << "the port is taken";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("Address already in use"), std::string::npos);
  }
  same.address = "not-an-address";
  EXPECT_THROW(Server(same, service_, metrics_), std::runtime_error);
  same.address = "127.0.0.1";
  same.port = 0;
  same.tls.certificate = "/nonexistent/cert.pem";
  same.tls.private_key = "/nonexistent/key.pem";
  EXPECT_THROW(Server(same, service_, metrics_), std::runtime_error);
}

TEST_F(ServerTest, ReturnsItsUrl) {
  start();
  EXPECT_EQ(server_->url(), "http://127.0.0.1:" + std::to_string(port()));
}

}  // namespace
}  // namespace spindle::http
