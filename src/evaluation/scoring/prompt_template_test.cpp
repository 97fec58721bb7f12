#include "evaluation/scoring/prompt_template.h"

#include <gtest/gtest.h>

namespace spindle::evaluation {
namespace {

constexpr std::string_view kExample =
    R"({"question":"Why \"this\"?","n":2,"a.b":"dotted","a":{"b":"nested","c":[{"d":true}]},"x":null})";

Fields fields() {
  return [](std::string_view name) { return valueAt(kExample, name); };
}

TEST(ValueAt, FollowsDottedPaths) {
  EXPECT_EQ(valueAt(kExample, "n"), "2");
  EXPECT_EQ(valueAt(kExample, "a.c.0.d"), "true");
  EXPECT_EQ(valueAt(kExample, "a.b"), R"("dotted")") << "a name with a dot in it comes first";
  EXPECT_EQ(valueAt(kExample, "x"), "null");
  EXPECT_EQ(valueAt(R"("text")", ""), R"("text")");
  for (const char* nowhere : {"z", "a.z", "a.c.1", "a.c.x", "n.0", "question.0", "."}) {
    EXPECT_FALSE(valueAt(kExample, nowhere)) << nowhere;
  }
}

TEST(PlainText, ShowsStringsWithoutQuotesAndTheRestAsJson) {
  EXPECT_EQ(plainText(R"("a\n\"b\"")"), "a\n\"b\"");
  EXPECT_EQ(plainText("[1, 2.50]"), "[1,2.50]");
  EXPECT_EQ(plainText("null"), "null");
}

TEST(FillTemplate, ReplacesFields) {
  EXPECT_EQ(*fillTemplate("Q: {question} ({n}, {a.c})", fields()),
            "Q: Why \"this\"? (2, [{\"d\":true}])");
  EXPECT_EQ(*fillTemplate("", fields()), "");
}

TEST(FillTemplate, LeavesOtherBracesAlone) {
  for (const char* text :
       {R"({"score": 1})", "{}", "{ n }", "{", "}", "{n", "{{", "{{}}", "{n }"}) {
    EXPECT_EQ(*fillTemplate(text, fields()), text) << text;
  }
  EXPECT_EQ(*fillTemplate("{{n}} is {n}", fields()), "{n} is 2");
  EXPECT_EQ(*fillTemplate("{{n} {n}}", fields()), "{2 2}");
}

TEST(FillTemplate, DoesNotExpandInsertedText) {
  const Fields tricky = [](std::string_view) { return std::optional<std::string>(R"("{n}")"); };
  EXPECT_EQ(*fillTemplate("{question}", tricky), "{n}");
}

TEST(FillTemplate, NamesTheFieldThatIsMissing) {
  const Result<std::string> filled = fillTemplate("{nothing}", fields());
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(filled.error().message(), "The example has no field 'nothing'.");
}

TEST(FillTemplates, FillsEveryStringOfAValue) {
  EXPECT_EQ(*fillTemplates(R"([{"role":"user","content":[{"text":"{n}!"}],"{n}":1.50}])", fields()),
            R"([{"role":"user","content":[{"text":"2!"}],"{n}":1.50}])");
  EXPECT_FALSE(fillTemplates(R"({"a":["{nothing}"]})", fields()));
}

}  // namespace
}  // namespace spindle::evaluation
