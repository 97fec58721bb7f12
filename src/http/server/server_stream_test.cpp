#include <atomic>
#include <stdexcept>
#include <thread>

#include "http/message/body_stream.h"
#include "http/message/compression.h"
#include "http/server/server_fixture.h"

namespace spindle::http {
namespace {

using State = BodyStream::State;

class ServerStream : public ServerTest {
 protected:
  static Response streamed(std::shared_ptr<BodyStream> stream,
                           std::string_view type = "text/plain") {
    Response response;
    response.headers.add("Content-Type", type);
    response.stream = std::move(stream);
    return response;
  }

  /// A stream of lines 0, 1, … that ends after `count` of them.
  static std::shared_ptr<BodyStream> lines(int count) {
    auto next = std::make_shared<int>(0);
    return std::make_shared<PulledBody>([next, count](std::string& piece) {
      if (*next == count) return State::kEnd;
      piece = std::to_string((*next)++) + "\n";
      return State::kChunk;
    });
  }
  static std::string linesText(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += std::to_string(i) + "\n";
    return text;
  }

  static void expectLines(const WireResponse& response, int count) {
    EXPECT_TRUE(response.complete);
    EXPECT_EQ(response.body, linesText(count));
  }
  /// Starts a server that sends lines in response to each request.
  void serveLines(int count) {
    service_.on_handle = [count](Request& /*request*/) { return streamed(lines(count)); };
    start();
  }

  /// Starts a server that sends one PushedBody in response to the first request for /pushed.
  /// Returns the body.
  std::shared_ptr<PushedBody> servePushed(std::string_view type = "text/plain") {
    auto body = std::make_shared<PushedBody>(1000);
    service_.on_handle = [body, type = std::string(type)](Request& request) {
      if (request.target == "/pushed") return streamed(body, type);
      Response response;
      response.body = request.target;
      return response;
    };
    start();
    return body;
  }
};

TEST_F(ServerStream, SendsPulledPiecesInChunksAndKeepsTheConnection) {
  serveLines(1000);
  BlockingClient client(port());
  for (int i = 0; i < 2; ++i) {
    const WireResponse response = client.ask(get("/"));
    EXPECT_EQ(response.headers.get("Transfer-Encoding"), "chunked");
    EXPECT_EQ(response.headers.find("Content-Length"), nullptr);
    expectLines(response, 1000);
  }
}

TEST_F(ServerStream, EndsAStreamToAnHttp10ClientByClosing) {
  serveLines(10);
  BlockingClient client(port());
  const WireResponse response = client.ask("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(response.headers.find("Transfer-Encoding"), nullptr);
  EXPECT_EQ(response.headers.get("Connection"), "close");
  expectLines(response, 10);
}

TEST_F(ServerStream, CompressesStreams) {
  serveLines(1000);
  BlockingClient client(port());
  const WireResponse response = client.ask(get("/", "Accept-Encoding: gzip\r\n"));
  EXPECT_EQ(response.headers.get("Content-Encoding"), "gzip");
  std::string text;
  const std::unique_ptr<Decoder> decoder = Decoder::make(Coding::kGzip);
  EXPECT_TRUE(decoder->feed(response.body, text, 1'000'000));
  EXPECT_TRUE(decoder->finish());
  EXPECT_EQ(text, linesText(1000));
}

TEST_F(ServerStream, SendsEmptyStreamsAndSkipsEmptyPieces) {
  auto count = std::make_shared<int>(0);
  service_.on_handle = [count](Request& request) {
    if (request.target == "/none") return streamed(lines(0));
    return streamed(std::make_shared<PulledBody>([count](std::string& piece) {
      piece = *count == 1 ? "" : "x";
      return (*count)++ == 3 ? State::kEnd : State::kChunk;
    }));
  };
  start();
  BlockingClient client(port());
  const WireResponse none = client.ask(get("/none"));
  EXPECT_TRUE(none.complete);
  EXPECT_EQ(none.body, "");
  EXPECT_EQ(client.ask(get("/some")).body, "xx");
}

TEST_F(ServerStream, SendsPushedPiecesAsTheyCome) {
  const std::shared_ptr<PushedBody> body = servePushed("text/event-stream");
  BlockingClient client(port());
  client.send(get("/pushed", "Accept-Encoding: gzip\r\n"));
  std::string seen = client.receiveSome();
  EXPECT_NE(seen.find("200 OK"), std::string::npos);
  EXPECT_EQ(seen.find("Content-Encoding"), std::string::npos) << "events are not compressed";
  for (const std::string piece : {"one", "two", "three"}) {
    EXPECT_TRUE(body->tryPush(piece));
    seen = client.receiveSome();
    EXPECT_NE(seen.find(piece), std::string::npos);
  }
  body->finish();
  EXPECT_EQ(client.receiveSome(), "0\r\n\r\n");
  EXPECT_EQ(client.ask(get("/after")).body, "/after");
}

TEST_F(ServerStream, FlushesCompressedPieces) {
  const std::shared_ptr<PushedBody> body = servePushed("application/x-ndjson");
  BlockingClient client(port());
  client.send(get("/pushed", "Accept-Encoding: gzip\r\n"));
  EXPECT_NE(client.receiveSome().find("Content-Encoding: gzip"), std::string::npos);
  const std::unique_ptr<Decoder> decoder = Decoder::make(Coding::kGzip);
  std::string text;
  for (const std::string_view line : {"{\"a\":1}\n", "{\"a\":2}\n"}) {
    EXPECT_TRUE(body->tryPush(line));
    const std::string chunk = client.receiveSome();
    const std::size_t start_of_bytes = chunk.find("\r\n") + 2;
    text.clear();
    EXPECT_TRUE(decoder->feed(
        std::string_view(chunk).substr(start_of_bytes, chunk.size() - start_of_bytes - 2), text,
        1000));
    EXPECT_EQ(text, line);
  }
  body->finish();
}

TEST_F(ServerStream, WaitingStreamOccupiesNoWorker) {
  options_.worker_threads = 1;
  const std::shared_ptr<PushedBody> body = servePushed();
  BlockingClient waiting[3] = {BlockingClient(port()), BlockingClient(port()),
                               BlockingClient(port())};
  waiting[0].send(get("/pushed"));
  EXPECT_NE(waiting[0].receiveSome().find("chunked"), std::string::npos);
  EXPECT_EQ(waiting[1].ask(get("/other")).body, "/other");
  body->finish();
}

TEST_F(ServerStream, AnswersWhatWasSentWhileAStreamWasRunning) {
  const std::shared_ptr<PushedBody> body = servePushed();
  BlockingClient client(port());
  const std::string large(50'000, 'x');
  std::thread sender([&] { client.send(get("/pushed") + post("/large", large) + get("/last")); });
  body->push("some");
  sender.join();
  body->push(" more");
  body->finish();
  EXPECT_EQ(client.receive().body, "some more");
  EXPECT_EQ(client.receive().body, "/large");
  EXPECT_EQ(client.receive().body, "/last");
}

TEST_F(ServerStream, DetectsADisconnectOfAnIdleStream) {
  for (const bool by_reset : {false, true}) {
    const std::shared_ptr<PushedBody> body = servePushed();
    std::promise<void> cancelled;
    body->onSpace([&] { cancelled.set_value(); });
    BlockingClient client(port());
    client.send(get("/pushed"));
    EXPECT_NE(client.receiveSome().find("chunked"), std::string::npos);
    by_reset ? client.reset() : client.close();
    cancelled.get_future().wait();
    EXPECT_TRUE(body->cancelled());
    server_->stop();
  }
}

TEST_F(ServerStream, StopsPullingWhenTheClientLeaves) {
  auto pulled = std::make_shared<std::atomic<int>>(0);
  std::weak_ptr<BodyStream> watched;
  service_.on_handle = [&watched, pulled](Request& /*request*/) {
    auto endless = std::make_shared<PulledBody>([pulled](std::string& piece) {
      ++*pulled;
      piece.assign(1000, 'x');
      return State::kChunk;
    });
    watched = endless;
    return streamed(endless);
  };
  start();
  BlockingClient client(port());
  client.send(get("/"));
  EXPECT_NE(client.receiveSome().find("chunked"), std::string::npos);
  client.close();
  waitUntil([this] { return connections() == 0; });
  waitUntil([&watched] { return watched.expired(); });
}

TEST_F(ServerStream, CancelsAStreamThatIsNotRead) {
  options_.limits.write_timeout = std::chrono::milliseconds(40);
  const std::shared_ptr<PushedBody> body = servePushed();
  BlockingClient client(port());
  client.send(get("/pushed"));
  const std::string piece(100'000, 'x');
  while (body->push(piece)) {
  }
  EXPECT_TRUE(body->cancelled());
}

TEST_F(ServerStream, ClientCanDetectAFailedStream) {
  service_.on_handle = [](Request& request) {
    auto pieces = std::make_shared<int>(0);
    const bool throws = request.target == "/throw";
    return streamed(std::make_shared<PulledBody>([pieces, throws](std::string& piece) {
      piece = "piece";
      if ((*pieces)++ < 2) return State::kChunk;
      if (throws) throw std::runtime_error("no more rows");
      return State::kBroken;
    }));
  };
  start();
  for (const std::string target : {"/break", "/throw"}) {
    BlockingClient client(port());
    const WireResponse response = client.ask(get(target));
    EXPECT_EQ(response.status, 200);
    EXPECT_FALSE(response.complete);
    BlockingClient old(port());
    EXPECT_FALSE(old.ask("GET " + target + " HTTP/1.0\r\n\r\n").complete);
  }
}

TEST_F(ServerStream, HeadOfAStreamCancelsIt) {
  const std::shared_ptr<PushedBody> body = servePushed();
  BlockingClient client(port());
  client.send("HEAD /pushed HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.receive(true).headers.get("Transfer-Encoding"), "chunked");
  EXPECT_EQ(client.ask(get("/next")).body, "/next");
  EXPECT_TRUE(body->cancelled());
}

TEST_F(ServerStream, ManyPushedStreamsRunSideBySide) {
  service_.on_handle = [](Request& /*request*/) {
    auto body = std::make_shared<PushedBody>(64);
    std::thread([body] {
      for (int i = 0; i < 500; ++i) body->push(std::to_string(i) + "\n");
      body->finish();
    }).detach();
    return streamed(body);
  };
  start();
  std::atomic<int> good{0};
  std::vector<std::thread> clients;
  clients.reserve(8);
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] {
      BlockingClient client(port());
      for (int round = 0; round < 3; ++round) {
        if (client.ask(get("/")).body == linesText(500)) ++good;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, 24);
}

TEST_F(ServerStream, AProducerMayOutliveTheServer) {
  options_.limits.drain_timeout = std::chrono::milliseconds(10);
  const std::shared_ptr<PushedBody> body = servePushed();
  BlockingClient client(port());
  client.send(get("/pushed"));
  EXPECT_NE(client.receiveSome().find("chunked"), std::string::npos);
  EXPECT_FALSE(server_->stop()) << "a stream was cut";
  server_.reset();
  EXPECT_TRUE(body->cancelled());
  EXPECT_FALSE(body->tryPush("late"));
  body->finish();
}

}  // namespace
}  // namespace spindle::http
