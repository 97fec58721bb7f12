#include "query/field.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace spindle::query {
namespace {

using Parts = std::vector<std::string>;

Parts partsOf(std::string_view path) {
  const Result<Parts> parts = splitPath(path);
  EXPECT_TRUE(parts) << path;
  return parts ? *parts : Parts();
}

TEST(FieldPath, IsSplitAtDotsThatAreNotEscaped) {
  EXPECT_EQ(partsOf("inputs"), Parts({"inputs"}));
  EXPECT_EQ(partsOf("inputs.a.0"), Parts({"inputs", "a", "0"}));
  EXPECT_EQ(partsOf(R"(inputs.d.k\.v)"), Parts({"inputs", "d", "k.v"}));
  EXPECT_EQ(partsOf(R"(a\b.c\)"), Parts({R"(a\b)", R"(c\)"}));
  EXPECT_EQ(partsOf("a..b."), Parts({"a", "", "b", ""}));
}

TEST(FieldPath, RejectsNegativeIndex) {
  EXPECT_EQ(splitPath("inputs.l.-1").error().code(), ErrorCode::kUnprocessable);
  EXPECT_EQ(partsOf("inputs.-a.-"), Parts({"inputs", "-a", "-"}));
}

TEST(FieldPath, RejectsNul) {
  EXPECT_EQ(splitPath(std::string_view("a\0b", 3)).error().code(), ErrorCode::kUnprocessable);
}

TEST(FieldPath, BecomesAJsonPointer) {
  EXPECT_EQ(pointerOf({}), "$");
  EXPECT_EQ(pointerOf({"a", "0"}), "/a/0");
  EXPECT_EQ(pointerOf({"a/b", "c~d", ""}), "/a~1b/c~0d/");
}

TEST(FieldPath, BecomesAnSqlConstantWithoutTheCallersQuotes) {
  EXPECT_EQ(pointerSql({"a", "0"}).text(), "'/a/0'");
  EXPECT_EQ(pointerSql({"it's"}).text(), "decode(unhex('2F69742773'))");
}

TEST(Sql, KeepsParametersInStepWithTheText) {
  Sql inner = Sql("b = ").param(std::string("x"));
  const Sql whole = Sql("a = ").param(std::int64_t{1}).add(" AND ").add(inner);
  EXPECT_EQ(whole.text.text(), "a = ? AND b = ?");
  ASSERT_EQ(whole.params.size(), 2U);
  EXPECT_EQ(std::get<std::string>(whole.params[1]), "x");
}

}  // namespace
}  // namespace spindle::query
