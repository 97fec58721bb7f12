#include "evaluation/results/result_filter.h"

#include <gtest/gtest.h>

#include "query/codec.h"
#include "query/field.h"
#include "schema/parse.h"
#include "tracing/ingest/json_path.h"

namespace spindle::evaluation {
namespace {

/// Returns the values of the test vectors of tracing.md §2.6, by row.
const std::vector<std::string> vector_rows = {
    R"({"a":1,"b":true,"n":null,"l":[1],"d":{"k.v":3},"f":1.5,"s":"x","big":10})",
    R"({"a":"2","s":""})", R"({"a":9})", R"({"a":100})"};

Result<std::optional<bool>> ask(const std::string& expression, const std::string& row) {
  const Result<query::Query> query =
      schema::parse(query::queryCodec(), R"({"$expr":)" + expression + "}");
  EXPECT_TRUE(query) << expression;
  return holds(query->expression, [&row](std::string_view field) {
    return tracing::jsonAt(row, *query::splitPath(field));
  });
}

/// Returns the matching rows as digits.
std::string matches(const std::string& expression) {
  std::string found;
  for (std::size_t i = 0; i < vector_rows.size(); ++i) {
    const Result<std::optional<bool>> truth = ask(expression, vector_rows[i]);
    EXPECT_TRUE(truth) << expression;
    if (truth && *truth == std::optional<bool>(true)) found += std::to_string(i + 1);
  }
  return found;
}

std::string field(const std::string& name) { return R"({"$getField":")" + name + R"("})"; }
std::string two(const std::string& op, const std::string& name, const std::string& literal) {
  return R"({")" + op + R"(":[)" + field(name) + R"(,{"$literal":)" + literal + "}]}";
}

TEST(ResultFilter, ParsesFieldsLikeTheOtherOperand) {
  EXPECT_EQ(matches(two("$eq", "a", "1")), "1");
  EXPECT_EQ(matches(two("$eq", "a", R"("1")")), "1");
  EXPECT_EQ(matches(two("$eq", "a", "2")), "2");
  EXPECT_EQ(matches(two("$gt", "a", "5")), "34");
  EXPECT_EQ(matches(two("$gt", "a", "5.0")), "34");
  EXPECT_EQ(matches(two("$gt", "a", R"("5")")), "3");
  EXPECT_EQ(matches(two("$eq", "b", "true")), "1");
  EXPECT_EQ(matches(two("$eq", "b", R"("true")")), "1");
  EXPECT_EQ(matches(two("$eq", "b", "1")), "");
  EXPECT_EQ(matches(two("$lt", "a", "9")), "12");
  EXPECT_EQ(matches(two("$lte", "a", "9")), "123");
  EXPECT_EQ(matches(two("$gte", "a", "9")), "34");
}

TEST(ResultFilter, NullIsUnknown) {
  EXPECT_EQ(matches(two("$eq", "n", "null")), "");
  EXPECT_EQ(matches(two("$eq", "missing", "null")), "");
  EXPECT_EQ(matches(two("$eq", "missing", R"("")")), "1234");
  EXPECT_EQ(matches(R"({"$not":[)" + two("$eq", "missing", R"("zz")") + "]}"), "1234");
  EXPECT_EQ(matches(R"({"$not":[)" + two("$gt", "missing", "1") + "]}"), "");
}

TEST(ResultFilter, FollowsPaths) {
  EXPECT_EQ(matches(two("$eq", "l.0", "1")), "1");
  EXPECT_EQ(matches(two("$eq", R"(d.k\\.v)", "3")), "1");
  EXPECT_EQ(matches(two("$eq", "d", R"("{\"k.v\":3}")")), "1");
}

TEST(ResultFilter, ConvertsAndMeasures) {
  const auto convert = [](const std::string& name, const std::string& to) {
    return R"({"$convert":{"input":)" + field(name) + R"(,"to":")" + to + R"("}})";
  };
  const auto equals = [](const std::string& left, const std::string& literal) {
    return R"({"$eq":[)" + left + R"(,{"$literal":)" + literal + "}]}";
  };
  EXPECT_EQ(matches(equals(convert("f", "int"), "1")), "");
  EXPECT_EQ(matches(equals(convert("f", "double"), "1.5")), "1");
  EXPECT_EQ(matches(equals(convert("missing", "exists"), "true")), "1234");
  EXPECT_EQ(matches(equals(convert("b", "bool"), "true")), "1");
  EXPECT_EQ(matches(equals(convert("a", "string"), R"("9")")), "3");
  EXPECT_EQ(matches(R"({"$gt":[{"$size":)" + field("s") + R"(},{"$literal":0}]})"), "1");
  EXPECT_EQ(matches(R"({"$eq":[{"$size":)" + field("l") + R"(},{"$literal":1}]})"), "1");
}

TEST(ResultFilter, SearchesTextsAndLists) {
  const auto contains = [](const std::string& needle, bool insensitive) {
    return R"({"$contains":{"input":)" + field("s") + R"(,"substr":{"$literal":)" + needle +
           R"(},"case_insensitive":)" + (insensitive ? "true" : "false") + "}}";
  };
  EXPECT_EQ(matches(contains(R"("X")", false)), "");
  EXPECT_EQ(matches(contains(R"("X")", true)), "1");
  EXPECT_EQ(matches(contains(R"("")", false)), "1234");
  EXPECT_EQ(ask(contains("1", false), vector_rows[0]).error().code(), ErrorCode::kPermissionDenied);
  const auto in = [](const std::string& literals) {
    return R"({"$in":[)" + field("a") + ",[" + literals + "]]}";
  };
  EXPECT_EQ(matches(in(R"({"$literal":1},{"$literal":9})")), "13");
  EXPECT_EQ(matches(in(R"({"$literal":1},{"$literal":9.0})")), "13");
  EXPECT_EQ(matches(in(R"({"$literal":1},{"$literal":"9"})")), "3");
  EXPECT_EQ(matches(in(R"({"$literal":"1"},{"$literal":"9"})")), "13");
}

TEST(ResultFilter, ComparesFieldsAsTexts) {
  EXPECT_EQ(matches(R"({"$gt":[)" + field("a") + "," + field("big") + "]}"), "234");
}

TEST(ResultFilter, CombinesUnknownValues) {
  const std::string unknown = two("$gt", "missing", "1");
  const std::string yes = two("$eq", "missing", R"("")");
  EXPECT_EQ(matches(R"({"$or":[)" + unknown + "," + yes + "]}"), "1234");
  EXPECT_EQ(matches(R"({"$and":[)" + unknown + "," + yes + "]}"), "");
  EXPECT_EQ(ask(R"({"$and":[]})", vector_rows[0]).error().message(), "Empty AND operation");
  EXPECT_EQ(ask(R"({"$or":[]})", vector_rows[0]).error().message(), "Empty OR operation");
}

TEST(ResultFilter, FormatsNumbersPlainly) {
  EXPECT_EQ(comparedText("5.0"), "5");
  EXPECT_EQ(comparedText("1.5"), "1.5");
  EXPECT_EQ(comparedText("12345678901234567890"), "12345678901234567890");
  EXPECT_EQ(comparedText(R"({ "a" : 1 })"), R"({"a":1})");
  EXPECT_EQ(comparedText("null"), "");
  EXPECT_EQ(numberOf("true"), 1.0);
  EXPECT_EQ(numberOf("2"), 2.0);
  EXPECT_EQ(numberOf(R"("2")"), std::nullopt);
}

}  // namespace
}  // namespace spindle::evaluation
