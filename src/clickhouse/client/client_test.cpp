#include "clickhouse/client/client.h"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "base/core/mutex.h"
#include "base/core/no_blocking.h"
#include "clickhouse/client/row_binary.h"
#include "http/testing/scripted_server.h"

namespace spindle::clickhouse {
namespace {

using http::Peer;

class ClientTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setLogSinkForTest([](std::string_view) {});
  }
  static void TearDownTestSuite() { setLogSinkForTest({}); }

  /// Starts a server that sends the same response to every request, and keeps the last request.
  Client& clientOf(std::string response, ClientOptions options = {}) {
    server_ =
        std::make_unique<http::ScriptedServer>([this, response = std::move(response)](Peer& peer) {
          for (std::string request = peer.readRequest(); !request.empty();
               request = peer.readRequest()) {
            keep(std::move(request));
            peer.send(response);
          }
        });
    options.url = server_->url("");
    client_ = std::make_unique<Client>(std::move(options));
    return *client_;
  }
  void keep(std::string request) {
    const MutexLock lock(mutex_);
    request_ = std::move(request);
  }
  std::string request() {
    const MutexLock lock(mutex_);
    return request_;
  }
  static std::string failed(int status, int code, const std::string& text) {
    const std::string body = "Code: " + std::to_string(code) + ". DB::Exception: " + text + "\n";
    return "HTTP/1.1 " + std::to_string(status) +
           " Failed\r\nX-ClickHouse-Exception-Code: " + std::to_string(code) +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  static std::string oneNumber(std::uint8_t number) {
    std::string body;
    putVarint(body, 1);
    putText(body, "n");
    putText(body, "UInt8");
    putInteger(body, number);
    return http::okResponse(body);
  }
  bool requestHas(std::string_view part) { return request().find(part) != std::string::npos; }

  Mutex mutex_;
  std::string request_ SPINDLE_GUARDED_BY(mutex_);
  std::unique_ptr<http::ScriptedServer> server_;
  std::unique_ptr<Client> client_;
};

TEST_F(ClientTest, SendsCredentialsInHeadersOnly) {
  ClientOptions options;
  options.user = "spindle";
  options.password = Secret("pa&ss word");
  options.database = "traces";
  Client& client = clientOf(oneNumber(7), options);
  Result<Cursor> rows = client.query("SELECT ?", {std::string("a&b=c")});
  ASSERT_TRUE(rows) << rows.error().message();
  ASSERT_TRUE(*rows->next());
  EXPECT_EQ(rows->integer(0), 7);
  EXPECT_TRUE(requestHas("X-ClickHouse-User: spindle\r\n"));
  EXPECT_TRUE(requestHas("X-ClickHouse-Key: pa&ss word\r\n"));
  EXPECT_TRUE(requestHas("X-ClickHouse-Database: traces\r\n"));
  const std::string line = request().substr(0, request().find("\r\n"));
  EXPECT_NE(line.find("param_p0=a%26b%3Dc"), std::string::npos) << line;
  EXPECT_EQ(line.find("ss"), std::string::npos) << line;
  EXPECT_EQ(line.find("spindle"), std::string::npos) << line;
  EXPECT_TRUE(requestHas("readonly=2"));
  EXPECT_TRUE(request().ends_with("\r\n\r\nSELECT {p0:String}"));
}

TEST_F(ClientTest, AnErrorContainsNeitherPasswordNorStatement) {
  ClientOptions options;
  options.password = Secret("hunter2");
  Client& client = clientOf(failed(403, 516, "hunter2 in SELECT 1"), options);
  const Result<Cursor> rows = client.query("SELECT 1");
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(rows.error().reason(), "clickhouse_authentication");
  EXPECT_EQ(rows.error().message().find("hunter2"), std::string::npos);
}

TEST_F(ClientTest, InsertsOneBlockWithAToken) {
  Client& client = clientOf(http::okResponse(""));
  ASSERT_TRUE(client.insert({"calls", {"id", "version"}}, "rows", "token-1"));
  EXPECT_TRUE(
      requestHas("query=INSERT%20INTO%20calls%20%28id%2C%20version%29%20FORMAT%20RowBinary"));
  EXPECT_TRUE(requestHas("insert_deduplication_token=token-1"));
  EXPECT_TRUE(requestHas("async_insert=0"));
  EXPECT_FALSE(requestHas("insert_quorum"));
  EXPECT_TRUE(request().ends_with("\r\n\r\nrows"));
}

TEST_F(ClientTest, AsksReplicasForAQuorum) {
  ClientOptions options;
  options.insert_quorum = true;
  ASSERT_TRUE(clientOf(http::okResponse(""), options).insert({"calls", {"id"}}, "rows", "t"));
  EXPECT_TRUE(requestHas("insert_quorum=auto"));
}

TEST_F(ClientTest, CompressesRowsAndResults) {
  for (const http::Coding coding : {http::Coding::kGzip, http::Coding::kZstd}) {
    ClientOptions options;
    options.compression = coding;
    Client& client = clientOf(http::okResponse(""), options);
    ASSERT_TRUE(client.insert({"calls", {"id"}}, std::string(10'000, 'x'), "t"));
    const std::string sent = request();
    const std::string body = sent.substr(sent.find("\r\n\r\n") + 4);
    std::string decoded;
    ASSERT_TRUE(http::Decoder::make(coding)->feed(body, decoded, 20'000));
    EXPECT_EQ(decoded, std::string(10'000, 'x'));

    std::string plain = oneNumber(9);
    plain = plain.substr(plain.find("\r\n\r\n") + 4);
    const auto encoder = http::Encoder::make(coding);
    std::string encoded = encoder->feed(plain, false);
    encoded += encoder->finish();
    const std::string name(http::nameOf(coding));
    Client& reader =
        clientOf(http::okResponse(encoded, "Content-Encoding: " + name + "\r\n"), options);
    Result<Cursor> rows = reader.query("SELECT 9");
    ASSERT_TRUE(rows) << rows.error().message();
    EXPECT_TRUE(requestHas("Accept-Encoding: " + name));
    ASSERT_TRUE(*rows->next());
    EXPECT_EQ(rows->integer(0), 9);
    EXPECT_FALSE(*rows->next());
  }
}

TEST_F(ClientTest, ReportsExceptionsOfEveryKindOfStatement) {
  Client& client = clientOf(failed(500, 252, "Too many parts"));
  EXPECT_EQ(client.insert({"t", {"a"}}, "", "t").error().code(), ErrorCode::kRateLimited);
  EXPECT_EQ(client.execute("OPTIMIZE TABLE t").error().code(), ErrorCode::kRateLimited);
  EXPECT_EQ(client.query("SELECT 1").error().code(), ErrorCode::kRateLimited);
  EXPECT_EQ(clientOf(failed(500, 243, "x")).insert({"t", {"a"}}, "", "t").error().code(),
            ErrorCode::kStorageFull);
  EXPECT_EQ(clientOf(failed(404, 81, "x")).query("SELECT 1").error().reason(),
            "clickhouse_database");
  // A server can name an exception in the head of a response with the status 200.
  EXPECT_EQ(clientOf(failed(200, 241, "x")).query("SELECT 1").error().reason(),
            "clickhouse_memory");
  EXPECT_EQ(clientOf(failed(200, 241, "x")).execute("SELECT 1").error().reason(),
            "clickhouse_memory");
}

TEST_F(ClientTest, ReportsResponsesOfOtherServers) {
  Client& client = clientOf("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nBad");
  for (const Error& error :
       {client.query("SELECT 1").error(), client.execute("SELECT 1").error()}) {
    EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
    EXPECT_EQ(error.reason(), "clickhouse_unreachable");
  }
}

TEST_F(ClientTest, AnUnreachableServerIsUnavailable) {
  clientOf("");
  ClientOptions options;
  options.url = server_->url("");
  client_.reset();
  server_.reset();
  Client client(options);
  for (const Error& error :
       {client.query("SELECT 1").error(), client.insert({"t", {"a"}}, "", "t").error()}) {
    EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
    EXPECT_EQ(error.reason(), "clickhouse_unreachable");
  }
}

TEST_F(ClientTest, RepeatsAQueryOnceWhenAConnectionBreaks) {
  std::atomic<int> requests = 0;
  server_ = std::make_unique<http::ScriptedServer>([&requests](Peer& peer) {
    if (peer.readRequest().empty()) return;
    if (requests++ > 0) peer.send(oneNumber(3));
    peer.shutDown();
  });
  ClientOptions options;
  options.url = server_->url("");
  Client client(options);
  Result<Cursor> rows = client.query("SELECT 3");
  ASSERT_TRUE(rows) << rows.error().message();
  EXPECT_EQ(requests, 2);
  // An INSERT is not repeated: its caller decides, with the same token.
  requests = 0;
  Client fresh(options);
  EXPECT_EQ(fresh.insert({"t", {"a"}}, "", "t").error().reason(), "clickhouse_unreachable");
  EXPECT_EQ(requests, 1);
}

TEST_F(ClientTest, RefusesInvalidOptions) {
  const auto refused = [](const auto& change) {
    ClientOptions options;
    change(options);
    EXPECT_THROW(Client{options}, std::runtime_error);
  };
  refused([](ClientOptions& options) { options.url = "clickhouse://host"; });
  refused([](ClientOptions& options) { options.url = "http://user:pass@host:8123"; });
  refused([](ClientOptions& options) { options.url = "http://host:8123/?database=x"; });
  refused([](ClientOptions& options) { options.user = "a\r\nX-Evil: 1"; });
  refused([](ClientOptions& options) { options.password = Secret("a\nb"); });
  refused([](ClientOptions& options) { options.database = ""; });
  refused([](ClientOptions& options) { options.ca_file = "/nonexistent.pem"; });
}

TEST_F(ClientTest, DoesNotBlockWhereThatIsForbidden) {
  Client& client = clientOf(oneNumber(1));
  const NoBlocking scope;
  EXPECT_EQ(client.query("SELECT 1").error().code(), ErrorCode::kUnavailable);
  EXPECT_TRUE(scope.wasNeeded());
  EXPECT_EQ(server_->connections(), 0);
}

}  // namespace
}  // namespace spindle::clickhouse
