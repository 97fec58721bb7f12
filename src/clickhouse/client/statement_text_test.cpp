#include "clickhouse/client/statement_text.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace spindle::clickhouse {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

TEST(StatementText, ReplacesQuestionMarksByTypedParameters) {
  const Result<StatementText> statement =
      statementText("SELECT ? WHERE a = ? AND b = ? AND c = ? AND d > ? AND e = ?",
                    {std::int64_t{-5}, 2.5, true, std::string("x"), timestampOfMicros(7), Value()});
  ASSERT_TRUE(statement);
  EXPECT_EQ(statement->text,
            "SELECT {p0:Int64} WHERE a = {p1:Float64} AND b = {p2:Bool} AND c = {p3:String} AND d "
            "> fromUnixTimestamp64Micro({p4:Int64}, 'UTC') AND e = NULL");
  EXPECT_EQ(statement->fields, (Fields{{"param_p0", "-5"},
                                       {"param_p1", "2.5"},
                                       {"param_p2", "true"},
                                       {"param_p3", "x"},
                                       {"param_p4", "7"}}));
}

TEST(StatementText, KeepsQuestionMarksInsideQuotes) {
  const Result<StatementText> statement =
      statementText(R"(SELECT '?', '\'?', 'it''s ?', "a?", `b?`, ?)", {std::int64_t{1}});
  ASSERT_TRUE(statement);
  EXPECT_EQ(statement->text, R"(SELECT '?', '\'?', 'it''s ?', "a?", `b?`, {p0:Int64})");
}

TEST(StatementText, EscapesTheTextsOfParameters) {
  const Result<StatementText> statement =
      statementText("SELECT ?", {std::string("a\\\t\n\r\0'\"", 8)});
  ASSERT_TRUE(statement);
  EXPECT_EQ(statement->fields, (Fields{{"param_p0", "a\\\\\\t\\n\\r\\0'\""}}));
}

TEST(StatementText, WritesListsInHexadecimal) {
  const Result<StatementText> statement = statementText(
      "SELECT ?, ?", {std::vector<std::string>{"A'", ""}, std::vector<std::string>()});
  ASSERT_TRUE(statement);
  EXPECT_EQ(statement->text,
            "SELECT CAST([unhex('4127'), unhex('')], 'Array(String)'), CAST([], 'Array(String)')");
  EXPECT_TRUE(statement->fields.empty());
}

TEST(StatementText, WritesLongParametersInHexadecimal) {
  const Result<StatementText> statement =
      statementText("SELECT ?, ?, ?, ?, ?, ?", {std::string(kMaxFieldBytes, '\''), std::int64_t{-1},
                                                0.5, false, timestampOfMicros(-3), Value()});
  ASSERT_TRUE(statement);
  EXPECT_TRUE(statement->fields.empty());
  EXPECT_TRUE(statement->text.starts_with("SELECT unhex('2727"));
  EXPECT_TRUE(
      statement->text.ends_with("27'), toInt64(-1), toFloat64('0.5'), false, "
                                "fromUnixTimestamp64Micro(toInt64(-3), 'UTC'), NULL"));
}

TEST(StatementText, RefusesAStatementBeyondTheLimit) {
  const Result<StatementText> statement =
      statementText("SELECT ?", {std::string(kMaxStatementBytes / 2, 'x')});
  ASSERT_FALSE(statement);
  EXPECT_EQ(statement.error().code(), ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace spindle::clickhouse
