#include <string>

#include <duckdb.h>
#include <gtest/gtest.h>

namespace {

/// An in-memory database with one connection. A failed open makes the queries of the test fail.
class NativeDuckdb : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(duckdb_open(nullptr, &database_), DuckDBSuccess);
    ASSERT_EQ(duckdb_connect(database_, &connection_), DuckDBSuccess);
  }

  void TearDown() override {
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
  }

  /// Returns the value of a query with one row and one column, or the engine's error message.
  std::string valueOf(const char* sql) {
    duckdb_result result;
    std::string answer;
    if (duckdb_query(connection_, sql, &result) == DuckDBError) {
      answer = duckdb_result_error(&result);
    } else {
      char* value = duckdb_value_varchar(&result, 0, 0);
      answer = value == nullptr ? "NULL" : value;
      duckdb_free(value);
    }
    duckdb_destroy_result(&result);
    return answer;
  }

 private:
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

TEST_F(NativeDuckdb, IsTheVersionThatTheLockFileNames) {
  EXPECT_STREQ(duckdb_library_version(), DUCKDB_EXPECTED_VERSION);
}

TEST_F(NativeDuckdb, AnswersAQuery) {
  EXPECT_EQ(valueOf("SELECT sum(i) FROM range(1, 101) AS numbers(i)"), "5050");
}

// An air-gapped server cannot download extensions: the library must contain all required ones.
TEST_F(NativeDuckdb, ReadsJsonPathsWithoutFetchingAnExtension) {
  EXPECT_EQ(valueOf(R"(SELECT '{"usage":{"tokens":42}}'::JSON ->> '$.usage.tokens')"), "42");
}

TEST_F(NativeDuckdb, ReportsAnErrorInsteadOfAborting) {
  EXPECT_NE(valueOf("SELECT * FROM nowhere").find("nowhere does not exist"), std::string::npos);
}

}  // namespace
