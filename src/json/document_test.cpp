#include "json/document.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/core/results_for_test.h"

namespace spindle::json {
namespace {

Document parsed(std::string text) {
  auto outcome = Document::parse(std::move(text));
  if (auto* error = std::get_if<SyntaxError>(&outcome)) {
    ADD_FAILURE() << error->message << " at " << error->position;
    return std::get<Document>(Document::parse("null"));
  }
  return std::get<Document>(std::move(outcome));
}

std::string fault(std::string text, std::size_t depth = Document::kDefaultDepth) {
  auto outcome = Document::parse(std::move(text), depth);
  const auto* error = std::get_if<SyntaxError>(&outcome);
  if (error == nullptr) return "accepted";
  return std::to_string(error->position) + " " + error->message;
}

TEST(JsonDocument, ReadsEveryKindOfValue) {
  const Document document = parsed(
      R"( {"s":"text","i":-12,"d":1.5e3,"t":true,"f":false,"n":null,"a":[1,[],{}],"o":{"k":"v"}} )");
  const Node root = document.root();
  ASSERT_TRUE(root.isObject());
  EXPECT_EQ(root.size(), 8U);
  EXPECT_EQ(root.find("s")->text(), "text");
  EXPECT_EQ(root.find("i")->integer(), -12);
  EXPECT_EQ(root.find("d")->number(), 1500.0);
  EXPECT_TRUE(root.find("t")->boolean());
  EXPECT_FALSE(root.find("f")->boolean());
  EXPECT_TRUE(root.find("n")->isNull());
  EXPECT_EQ(root.find("a")->size(), 3U);
  EXPECT_EQ(root.find("a")->raw(), "[1,[],{}]");
  EXPECT_EQ(root.find("o")->find("k")->text(), "v");
  EXPECT_FALSE(root.find("absent").has_value());
}

TEST(JsonDocument, WalksItemsInOrder) {
  const Document document = parsed(R"([10, [20, 21], "x", {"a": 1}, 30])");
  std::vector<std::string> seen;
  for (const Node item : document.root()) seen.emplace_back(item.raw());
  EXPECT_EQ(seen, (std::vector<std::string>{"10", "[20, 21]", "\"x\"", "{\"a\": 1}", "30"}));
}

TEST(JsonDocument, KeepsLargeIntegersExactlyAsText) {
  const Document document = parsed("[123456789012345678901234567890,9223372036854775807]");
  const Node big = *document.root().begin();
  EXPECT_EQ(big.kind(), Kind::kInteger);
  EXPECT_EQ(big.raw(), "123456789012345678901234567890");
  EXPECT_FALSE(big.integer().has_value());
  EXPECT_DOUBLE_EQ(big.number(), 1.2345678901234568e29);
  EXPECT_EQ((*++document.root().begin()).integer(), 9223372036854775807);
}

TEST(JsonDocument, DistinguishesOverflowFromUnderflow) {
  const Document document = parsed("[1e400,-1e400,1e-400]");
  auto at = document.root().begin();
  EXPECT_TRUE(std::isinf((*at).number()));
  EXPECT_LT((*++at).number(), 0);
  EXPECT_EQ((*++at).number(), 0.0);
}

TEST(JsonDocument, UnescapesStrings) {
  const Document document =
      parsed(R"(["a\"b\\c\/d\b\f\n\r\t","\u00e9\u20ac\ud83d\ude00","\u0000"])");
  auto at = document.root().begin();
  EXPECT_EQ((*at).text(), "a\"b\\c/d\b\f\n\r\t");
  EXPECT_EQ((*++at).text(), "é€😀");
  EXPECT_EQ((*++at).text(), std::string(1, '\0'));
}

TEST(JsonDocument, ReplacesUnpairedSurrogates) {
  const Document document = parsed(R"(["cut \ud83d","\ude00 cut","\ud83dx\ud83d\ude00"])");
  auto at = document.root().begin();
  EXPECT_EQ((*at).text(), "cut \uFFFD");
  EXPECT_EQ((*at).raw(), R"("cut \ufffd")");
  EXPECT_EQ((*++at).text(), "\uFFFD cut");
  EXPECT_EQ((*++at).text(), "\uFFFDx😀");
}

TEST(JsonDocument, FindsTheLastOfRepeatedNames) {
  EXPECT_EQ(parsed(R"({"a":1,"a":2})").root().find("a")->integer(), 2);
  EXPECT_EQ(parsed(R"({"\u0061":3})").root().find("a")->integer(), 3);
}

TEST(JsonDocument, AcceptsAScalarAsTheWholeText) {
  EXPECT_EQ(parsed(" 7 ").root().integer(), 7);
  EXPECT_EQ(parsed("\"x\"").root().text(), "x");
  EXPECT_TRUE(parsed("null").root().isNull());
}

// The messages and positions are those of Python 3.11's json.loads on the same texts.
TEST(JsonDocument, ReportsErrorAndPositionLikePython) {
  expectResults<std::string, std::string_view>(
      [](const std::string& text) { return fault(text); },
      {{"", "0 Expecting value"},
       {"   ", "3 Expecting value"},
       {"{", "1 Expecting property name enclosed in double quotes"},
       {"{\"a\"", "4 Expecting ':' delimiter"},
       {"{\"a\":", "5 Expecting value"},
       {"{\"a\":1", "6 Expecting ',' delimiter"},
       {"{\"a\":1 \"b\":2}", "7 Expecting ',' delimiter"},
       {"[1,]", "3 Expecting value"},
       {"[1 2]", "3 Expecting ',' delimiter"},
       {"\"abc", "0 Unterminated string starting at"},
       {"\"a\nb\"", "2 Invalid control character at"},
       {"\"a\\xb\"", "2 Invalid \\escape"},
       {"\"\\u12G4\"", "2 Invalid \\uXXXX escape"},
       {"{} x", "3 Extra data"},
       {"01", "1 Extra data"},
       {"1.e5", "1 Extra data"},
       {"-", "0 Expecting value"},
       {"nul", "0 Expecting value"},
       {"[\"é\",x]", "5 Expecting value"}});
}

TEST(JsonDocument, RejectsNanAndInfinity) {
  EXPECT_EQ(fault("NaN"), "0 Expecting value");
  EXPECT_EQ(fault("[-Infinity]"), "1 Expecting value");
}

TEST(JsonDocument, RejectsInvalidUtf8WithPosition) {
  EXPECT_EQ(fault("\"é\xff\""), "2 Invalid UTF-8");
  EXPECT_EQ(fault(std::string(1000, ' ') + "\"\xc3\""), "1001 Invalid UTF-8");
}

TEST(JsonDocument, LimitsDepth) {
  EXPECT_EQ(fault("[[[]]]", 3), "accepted");
  EXPECT_EQ(fault("[[[[]]]]", 3), "3 Nesting is too deep");
  EXPECT_EQ(fault(std::string(1000000, '[')), "200 Nesting is too deep");
}

}  // namespace
}  // namespace spindle::json
