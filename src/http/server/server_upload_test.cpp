#include <atomic>
#include <stdexcept>

#include "http/message/sized_body.h"
#include "http/message/upload.h"
#include "http/server/server_fixture.h"

namespace spindle::http {
namespace {

/// The calls that the uploads of a test have received.
struct UploadLog {
  std::string bytes;
  std::atomic<std::size_t> largest_piece{0};
  std::atomic<int> finished{0};
  std::atomic<int> gone{0};
  std::size_t refuse_over = kStreamedBody;
  bool broken = false;
};

class RecordingUpload final : public Upload {
 public:
  explicit RecordingUpload(UploadLog& seen) : seen_(seen) {}
  ~RecordingUpload() override { ++seen_.gone; }

  std::optional<Response> take(std::string_view piece) override {
    if (seen_.broken) throw std::runtime_error("broken");
    seen_.bytes += piece;
    seen_.largest_piece = std::max(seen_.largest_piece.load(), piece.size());
    if (seen_.bytes.size() > seen_.refuse_over) return Response(413);
    return std::nullopt;
  }
  Response finish() override {
    ++seen_.finished;
    Response response(201);
    response.body = std::to_string(seen_.bytes.size());
    return response;
  }

 private:
  UploadLog& seen_;
};

class ServerUpload : public ServerTest {
 protected:
  ServerUpload() {
    service_.body_limit = kStreamedBody;
    service_.on_handle = [this](Request& request) {
      if (request.target == "/refused") return Response(403);
      if (request.target == "/after") {
        Response after;
        after.body = "after";
        return after;
      }
      Response response;
      response.stream = std::make_shared<RecordingUpload>(seen_);
      return response;
    };
  }

  static std::string pattern(std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 + i / 251);
    return bytes;
  }

  UploadLog seen_;
};

TEST_F(ServerUpload, ReceivesABodyInChunksAndKeepsTheConnection) {
  start();
  const std::string body = pattern(5'000'000);
  BlockingClient client(port());
  const WireResponse response = client.ask(post("/", body));
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.body, "5000000");
  EXPECT_TRUE(seen_.bytes == body);
  EXPECT_LE(seen_.largest_piece, 512U * 1024);
  EXPECT_EQ(client.ask(get("/after")).body, "after");
  EXPECT_EQ(seen_.gone, 1);
}

TEST_F(ServerUpload, TakesAChunkedBody) {
  start();
  const std::string body = pattern(700'000);
  BlockingClient client(port());
  ASSERT_TRUE(client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"));
  for (std::size_t at = 0; at < body.size(); at += 70'000) {
    ASSERT_TRUE(client.send("11170\r\n" + body.substr(at, 70'000) + "\r\n"));
  }
  const WireResponse response = client.ask("0\r\n\r\n");
  EXPECT_EQ(response.status, 201);
  EXPECT_TRUE(seen_.bytes == body);
  EXPECT_EQ(client.ask(get("/after")).body, "after");
}

TEST_F(ServerUpload, PassesACompressedBodyToACodedUpload) {
  service_.body_limit = kCodedBody;
  start();
  BlockingClient client(port());
  EXPECT_EQ(client.ask(post("/", "coded", "Content-Encoding: gzip\r\n")).status, 201);
  EXPECT_EQ(seen_.bytes, "coded");
  EXPECT_EQ(client.ask(post("/", "x", "Content-Encoding: unheard-of\r\n")).status, 415);
}

TEST_F(ServerUpload, TakesAnEmptyBody) {
  start();
  BlockingClient client(port());
  EXPECT_EQ(client.ask(post("/", "")).body, "0");
  EXPECT_EQ(client.ask(get("/")).body, "0");
  EXPECT_EQ(seen_.finished, 2);
}

TEST_F(ServerUpload, LeavesWhatFollowsTheBodyToTheNextRequest) {
  start();
  BlockingClient client(port());
  ASSERT_TRUE(client.send(post("/", "hello") + get("/after")));
  EXPECT_EQ(client.receive().body, "5");
  EXPECT_EQ(client.receive().body, "after");
  EXPECT_EQ(seen_.bytes, "hello");
}

TEST_F(ServerUpload, Sends100ContinueOnlyForAnUpload) {
  start();
  BlockingClient wanted(port());
  const std::string head =
      " HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n";
  ASSERT_TRUE(wanted.send("PUT /" + head));
  EXPECT_TRUE(wanted.receiveSome().starts_with("HTTP/1.1 100 Continue"));
  EXPECT_EQ(wanted.ask("hello").status, 201);
  BlockingClient refused(port());
  EXPECT_EQ(refused.ask("PUT /refused" + head).status, 403);
  EXPECT_TRUE(refused.atEnd());
}

TEST_F(ServerUpload, AnswersARefusalInTheMiddleAndCloses) {
  seen_.refuse_over = 100'000;
  start();
  BlockingClient client(port());
  ASSERT_TRUE(client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50000000\r\n\r\n"));
  std::string piece = pattern(100'000);
  while (seen_.gone == 0 && client.send(piece)) {
  }
  EXPECT_EQ(client.receive().status, 413);
  EXPECT_EQ(seen_.finished, 0);
  EXPECT_LT(seen_.bytes.size(), 50'000'000U);
}

TEST_F(ServerUpload, DestroysTheUploadOnADisconnect) {
  start();
  {
    BlockingClient client(port());
    ASSERT_TRUE(client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nabc"));
  }
  waitUntil([this] { return seen_.gone == 1; });
  EXPECT_EQ(seen_.finished, 0);
}

TEST_F(ServerUpload, RefusesABodyThatComesTooSlowly) {
  options_.limits.body_timeout = std::chrono::milliseconds(50);
  start();
  BlockingClient client(port());
  EXPECT_EQ(client.ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc").status, 408);
  EXPECT_EQ(seen_.gone, 1);
}

TEST_F(ServerUpload, RefusesMalformedChunksAndContentCodings) {
  start();
  BlockingClient chunks(port());
  EXPECT_EQ(
      chunks.ask("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n").status,
      400);
  BlockingClient coded(port());
  EXPECT_EQ(coded.ask(post("/", "abc", "Content-Encoding: gzip\r\n")).status, 415);
}

TEST_F(ServerUpload, ExceptionOfTheUploadIsA500) {
  seen_.broken = true;
  start();
  BlockingClient client(port());
  EXPECT_EQ(client.ask(post("/", "abc")).status, 500);
}

class ServerSizedBody : public ServerTest {
 protected:
  /// Announces `length` bytes and sends `bytes` in chunks of one hundred.
  void serve(std::uint64_t length, const std::string& bytes) {
    service_.on_handle = [length, bytes](Request& /*request*/) {
      Response response;
      response.headers.add("Content-Type", "application/octet-stream");
      auto at = std::make_shared<std::size_t>(0);
      response.stream = std::make_shared<SizedBody>(length, [bytes, at](std::string& piece) {
        piece = bytes.substr(*at, 100);
        *at += piece.size();
        return piece.empty() ? BodyStream::State::kEnd : BodyStream::State::kChunk;
      });
      return response;
    };
    start();
  }
};

TEST_F(ServerSizedBody, SendsTheLengthAndKeepsTheConnection) {
  const std::string bytes(1234, 'x');
  serve(1234, bytes);
  BlockingClient client(port());
  for (int i = 0; i < 2; ++i) {
    const WireResponse response = client.ask(get("/"));
    EXPECT_EQ(response.headers.get("Content-Length"), "1234");
    EXPECT_EQ(response.headers.find("Transfer-Encoding"), nullptr);
    EXPECT_EQ(response.body, bytes);
  }
  ASSERT_TRUE(client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_EQ(client.receive(true).headers.get("Content-Length"), "1234");
}

TEST_F(ServerSizedBody, KeepsTheConnectionOfAnHttp10ClientToo) {
  serve(200, std::string(200, 'x'));
  BlockingClient client(port());
  const WireResponse response = client.ask("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(response.headers.get("Content-Length"), "200");
  EXPECT_EQ(response.headers.get("Connection"), "keep-alive");
}

TEST_F(ServerSizedBody, AbortsTheConnectionIfTheStreamIsTooShort) {
  serve(1000, std::string(200, 'x'));
  BlockingClient client(port());
  EXPECT_FALSE(client.ask(get("/")).complete);
}

TEST_F(ServerSizedBody, NeverSendsMoreThanItsLength) {
  serve(150, std::string(400, 'x'));
  BlockingClient client(port());
  const WireResponse response = client.ask(get("/"));
  EXPECT_FALSE(response.complete);
  EXPECT_LE(response.body.size(), 150U);
}

}  // namespace
}  // namespace spindle::http
