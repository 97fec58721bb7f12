#include "clickhouse/client/cursor.h"

#include <bit>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/core/little_endian.h"
#include "base/core/log.h"
#include "clickhouse/client/response_stream.h"
#include "clickhouse/client/row_binary.h"
#include "http/testing/scripted_server.h"

namespace spindle::clickhouse {
namespace {

using Texts = std::vector<std::string>;

class CursorTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setLogSinkForTest([](std::string_view) {});
  }
  static void TearDownTestSuite() { setLogSinkForTest({}); }

  /// Returns the head of a result.
  static std::string columns(const std::vector<std::pair<std::string, std::string>>& columns) {
    std::string bytes;
    putVarint(bytes, columns.size());
    for (const auto& column : columns) putText(bytes, column.first);
    for (const auto& column : columns) putText(bytes, column.second);
    return bytes;
  }

  Result<Cursor> open(const std::string& response, std::size_t value_bytes = 1 << 20) {
    server_ = std::make_unique<http::ScriptedServer>([response](http::Peer& peer) {
      peer.readRequest();
      // Small pieces, so that values are cut everywhere.
      for (std::size_t at = 0; at < response.size(); at += 7)
        peer.send(std::string_view(response).substr(at, 7));
      peer.shutDown();
    });
    http::ClientRequest request;
    request.url = server_->url();
    auto stream = std::make_unique<ResponseStream>(client_, request, 64);
    const Result<void> head = stream->awaitHead();
    if (!head) return head.error();
    return Cursor::over(std::move(stream), value_bytes);
  }

  static std::string sized(const std::string& body, const std::string& headers = {}) {
    return http::okResponse(body, headers);
  }
  static std::string unfinishedChunk(const std::string& body) {
    char size[32];
    std::snprintf(size, sizeof size, "%zx", body.size());
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(size) + "\r\n" +
           body + "\r\n";
  }

  std::unique_ptr<http::ScriptedServer> server_;
  http::Client client_{http::ClientOptions()};
};

TEST_F(CursorTest, ReadsTheValuesOfAllTypes) {
  std::string body = columns({{"text", "LowCardinality(String)"},
                              {"small", "Int8"},
                              {"large", "UInt32"},
                              {"real", "Float64"},
                              {"float", "Float32"},
                              {"truth", "Bool"},
                              {"time", "DateTime64(3, 'UTC')"},
                              {"second", "DateTime"},
                              {"texts", "Array(String)"},
                              {"null", "Nullable(String)"},
                              {"none", "Nullable(Nothing)"}});
  for (int i = 0; i < 2; ++i) {
    putText(body, std::string(300, 'x'));
    putInteger(body, std::int8_t{-2});
    putInteger(body, std::uint32_t{4'000'000'000});
    putReal(body, 2.5);
    putInteger(body, std::bit_cast<std::uint32_t>(1.5F));
    body += '\1';
    putInteger(body, std::int64_t{-1});
    putInteger(body, std::uint32_t{10});
    putTexts(body, {"a", "", "b"});
    putNullMark(body, i == 0);
    if (i == 1) putText(body, "value");
    putNullMark(body, true);
  }
  Result<Cursor> cursor = open(sized(body));
  ASSERT_TRUE(cursor) << cursor.error().message();
  EXPECT_EQ(cursor->columns(), 11U);
  EXPECT_EQ(cursor->name(1), "small");
  ASSERT_TRUE(*cursor->next());
  EXPECT_TRUE(cursor->isNull(9));
  EXPECT_EQ(cursor->text(9), "");
  ASSERT_TRUE(*cursor->next());
  EXPECT_EQ(cursor->text(0), std::string(300, 'x'));
  EXPECT_EQ(cursor->integer(1), -2);
  EXPECT_EQ(cursor->integer(2), 4'000'000'000);
  EXPECT_EQ(cursor->real(3), 2.5);
  EXPECT_EQ(cursor->real(4), 1.5);
  EXPECT_TRUE(cursor->boolean(5));
  EXPECT_EQ(microsOf(cursor->time(6)), -1'000);
  EXPECT_EQ(microsOf(cursor->time(7)), 10'000'000);
  EXPECT_EQ(cursor->texts(8), (Texts{"a", "", "b"}));
  EXPECT_FALSE(cursor->isNull(9));
  EXPECT_EQ(cursor->text(9), "value");
  EXPECT_TRUE(cursor->isNull(10));
  EXPECT_FALSE(*cursor->next());
  EXPECT_FALSE(*cursor->next());
}

TEST_F(CursorTest, AStatementWithoutResultHasNoRows) {
  Result<Cursor> cursor = open(sized(""));
  ASSERT_TRUE(cursor);
  EXPECT_EQ(cursor->columns(), 0U);
  EXPECT_FALSE(*cursor->next());
}

TEST_F(CursorTest, ReportsAnExceptionAfterTheFirstRows) {
  const std::string text = "Code: 241. DB::Exception: Memory limit exceeded. (version 26.9.2.1)";
  std::string body = columns({{"n", "UInt8"}});
  body += "\1\2";
  body += "\r\n__exception__\r\nabcdefghijklmnop\r\n" + text + "\r\n" +
          std::to_string(text.size()) + " abcdefghijklmnop\r\n__exception__\r\n";
  // With columns of one byte, the bytes of the exception are complete rows too.
  Result<Cursor> cursor = open(sized(body, "X-ClickHouse-Exception-Tag: abcdefghijklmnop\r\n"));
  ASSERT_TRUE(cursor);
  Result<bool> more = cursor->next();
  while (more && *more) more = cursor->next();
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().reason(), "clickhouse_memory");
}

TEST_F(CursorTest, ReportsAnExceptionOfAServerThatBreaksTheBody) {
  std::string body = columns({{"t", "String"}});
  putText(body, "row");
  body += "__exception__\r\nCode: 159. DB::Exception: Timeout exceeded. (version 25.3.1.1)\n";
  Result<Cursor> cursor = open(unfinishedChunk(body));
  ASSERT_TRUE(cursor);
  ASSERT_TRUE(*cursor->next());
  Result<bool> more = cursor->next();
  while (more && *more) more = cursor->next();
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code(), ErrorCode::kTimeout);
}

TEST_F(CursorTest, AnIncompleteResultIsAnError) {
  std::string body = columns({{"t", "String"}});
  putText(body, "row");
  for (const std::string& response : {sized(body + "\x05"
                                                   "ab"),
                                      unfinishedChunk(body),
                                      sized("\x02\x01"
                                            "a")}) {
    Result<Cursor> cursor = open(response);
    Result<bool> more = cursor ? cursor->next() : Result<bool>(cursor.error());
    while (more && *more) more = cursor->next();
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().code(), ErrorCode::kUnavailable);
    EXPECT_EQ(more.error().reason(), "clickhouse_unreachable");
  }
}

TEST_F(CursorTest, LimitsTheSizeOfARow) {
  std::string body = columns({{"a", "String"}, {"b", "String"}});
  putText(body, std::string(900, 'a'));
  putText(body, std::string(900, 'b'));
  Result<Cursor> cursor = open(sized(body), 1'000);
  ASSERT_TRUE(cursor);
  const Result<bool> more = cursor->next();
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code(), ErrorCode::kTooLarge);
}

TEST_F(CursorTest, RefusesALengthThatNoServerSends) {
  std::string body = columns({{"a", "String"}});
  putVarint(body, ~std::uint64_t{0});
  Result<Cursor> cursor = open(sized(body + "rest"));
  ASSERT_TRUE(cursor);
  const Result<bool> more = cursor->next();
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code(), ErrorCode::kUnavailable);
}

TEST_F(CursorTest, RefusesUnknownTypes) {
  const Result<Cursor> cursor = open(sized(columns({{"m", "Map(String, String)"}})));
  ASSERT_FALSE(cursor);
  EXPECT_EQ(cursor.error().code(), ErrorCode::kInternal);
}

}  // namespace
}  // namespace spindle::clickhouse
