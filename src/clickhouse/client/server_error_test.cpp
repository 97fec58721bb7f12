#include "clickhouse/client/server_error.h"

#include <string>

#include <gtest/gtest.h>

#include "base/core/log.h"

namespace spindle::clickhouse {
namespace {

class ServerError : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setLogSinkForTest([](std::string_view) {});
  }
  static void TearDownTestSuite() { setLogSinkForTest({}); }
};

TEST_F(ServerError, ReadsExceptions) {
  const auto exception = exceptionIn("Code: 241. DB::Exception: Memory limit. (version 26.9)\n");
  ASSERT_TRUE(exception);
  EXPECT_EQ(exception->code, 241);
  EXPECT_EQ(exceptionIn("Code: 60, e.displayText() = DB::Exception: Table x")->code, 60);
  for (const char* const text : {"", "Code: ", "Code: x. DB::Exception", "Code: 7. Hello", "Ok.\n"})
    EXPECT_FALSE(exceptionIn(text)) << text;
}

TEST_F(ServerError, FindsTheMarkedExceptionAtTheEndOfABody) {
  const std::string text = "Code: 395. DB::Exception: boom. (version 26.9.2.1)";
  const std::string body = "rows\r\n__exception__\r\nabcdefghijklmnop\r\n" + text + "\r\n" +
                           std::to_string(text.size()) + " abcdefghijklmnop\r\n__exception__\r\n";
  const auto exception = exceptionAtEnd(body, "abcdefghijklmnop", true);
  ASSERT_TRUE(exception);
  EXPECT_EQ(exception->code, 395);
  EXPECT_EQ(exception->text, text);
  EXPECT_FALSE(exceptionAtEnd(body, "anothertaganothe", true));
  // A row may contain any text: without the tag of this response, it is a row.
  EXPECT_FALSE(exceptionAtEnd("__exception__\r\n" + text, "abcdefghijklmnop", true));
}

TEST_F(ServerError, FindsTheExceptionOfAnOlderServer) {
  const std::string text = "Code: 241. DB::Exception: Memory limit. (version 24.8.1.1)\n";
  EXPECT_EQ(exceptionAtEnd("rows__exception__\r\n" + text, "", true)->code, 241);
  EXPECT_EQ(exceptionAtEnd("rows" + text, "", false)->code, 241);
  EXPECT_FALSE(exceptionAtEnd("rows" + text, "", true));
  EXPECT_FALSE(exceptionAtEnd("__exception__\r\n" + text + std::string(100, 'x'), "", true));
  EXPECT_FALSE(exceptionAtEnd("Code: Code: rows", "", false));
  EXPECT_FALSE(exceptionAtEnd("", "", false));
}

TEST_F(ServerError, MapsCodesToErrors) {
  struct Case {
    int code;
    ErrorCode expected;
    std::string_view reason;
    bool transient;
  };
  for (const Case& each : {
           Case{516, ErrorCode::kUnavailable, "clickhouse_authentication", false},
           Case{81, ErrorCode::kUnavailable, "clickhouse_database", false},
           Case{497, ErrorCode::kUnavailable, "clickhouse_privileges", false},
           Case{60, ErrorCode::kUnavailable, "clickhouse_schema", false},
           Case{241, ErrorCode::kUnavailable, "clickhouse_memory", true},
           Case{159, ErrorCode::kTimeout, "clickhouse_timeout", true},
           Case{252, ErrorCode::kRateLimited, "clickhouse_busy", true},
           Case{202, ErrorCode::kRateLimited, "clickhouse_busy", true},
           Case{242, ErrorCode::kUnavailable, "clickhouse_replica", true},
           Case{999, ErrorCode::kUnavailable, "clickhouse_replica", true},
           Case{243, ErrorCode::kStorageFull, "clickhouse_full", false},
           Case{396, ErrorCode::kTooLarge, "clickhouse_limit", false},
           Case{62, ErrorCode::kInternal, "clickhouse_refused", false},
       }) {
    const Error error = errorOf({each.code, "DB::Exception: SELECT secret"});
    EXPECT_EQ(error.code(), each.expected) << each.code;
    EXPECT_EQ(error.reason(), each.reason) << each.code;
    EXPECT_EQ(isTransient(error), each.transient) << each.code;
    EXPECT_EQ(error.message().find("secret"), std::string::npos) << each.code;
  }
  EXPECT_EQ(errorOf({76, "Cannot open file: errno: 28, No space left on device"}).code(),
            ErrorCode::kStorageFull);
}

TEST_F(ServerError, TellsWhenToTryAgain) {
  const Error busy = errorOf({252, "Too many parts"});
  ASSERT_EQ(busy.members().size(), 1U);
  EXPECT_EQ(busy.members()[0], std::pair(std::string("retry_after_seconds"), std::string("5")));
}

}  // namespace
}  // namespace spindle::clickhouse
