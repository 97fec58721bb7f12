#include "otlp/attribute_tree.h"

#include <gtest/gtest.h>

#include "otlp/json_text.h"

namespace spindle::otlp {
namespace {

class AttributeTreeTest : public testing::Test {
 protected:
  std::string build(const Attributes& attributes) {
    Result<AttributeTree> tree = AttributeTree::build(attributes, texts_);
    if (!tree) return tree.error().message();
    tree_ = *std::move(tree);
    std::string text;
    appendJson(text, tree_.root());
    return text;
  }

  static Member text(std::string_view key, std::string_view value) { return {key, Value(value)}; }
  static Member number(std::string_view key, std::int64_t value) { return {key, Value(value)}; }

  TextArena texts_;
  AttributeTree tree_;
};

TEST_F(AttributeTreeTest, SplitsKeysAtDotsInOrderOfArrival) {
  EXPECT_EQ(build({text("z.y", "1"), text("a", "2"), text("z.x.w", "3")}),
            R"({"z":{"y":"1","x":{"w":"3"}},"a":"2"})");
}

TEST_F(AttributeTreeTest, LimitsDepthToSixtyFourSegments) {
  std::string key = "a";
  for (int i = 0; i < 200'000; ++i) key += ".a";
  Result<AttributeTree> tree =
      AttributeTree::build({number(key, 1), number(key + ".b", 2)}, texts_);
  ASSERT_TRUE(tree);
  const Value* found = tree->find(key);
  ASSERT_NE(found, nullptr);
  std::string text;
  appendJson(text, *found);
  EXPECT_EQ(text, "1");
  std::size_t depth = 0;
  for (const Value* at = &tree->root(); at->asMap() != nullptr; ++depth) {
    at = &at->asMap()->front().value;
  }
  EXPECT_EQ(depth, 64U);
}

TEST_F(AttributeTreeTest, RejectsTooManyNameComparisons) {
  const auto wide = [this](std::size_t count) {
    Attributes attributes;
    for (std::size_t i = 0; i < count; ++i)
      attributes.push_back(number(texts_.keep("key" + std::to_string(i)), 1));
    return attributes;
  };
  EXPECT_TRUE(AttributeTree::build(wide(2'000), texts_));
  const Result<AttributeTree> refused = AttributeTree::build(wide(200'000), texts_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "The span has too many attributes");
  std::string object = "{";
  for (int i = 0; i < 100'000; ++i) object += "\"k" + std::to_string(i) + "\":1,";
  object += "\"z\":1}";
  EXPECT_FALSE(AttributeTree::build({text("a", object), text("a", object)}, texts_));
}

TEST_F(AttributeTreeTest, ParsesJsonListsAndObjectsInTexts) {
  EXPECT_EQ(build({text("a", R"({"b":[1,"x\n"]})"), text("c", "[2]"), text("d", "[no"),
                   text("e", "7"), text("f", R"("q")")}),
            R"({"a":{"b":[1,"x\n"]},"c":[2],"d":"[no","e":"7","f":"\"q\""})");
}

TEST_F(AttributeTreeTest, MergesJsonAndDottedKeysInBothOrders) {
  EXPECT_EQ(build({text("gen_ai.completion", R"([{"content":"hi"}])"),
                   text("gen_ai.completion.0.role", "assistant")}),
            R"({"gen_ai":{"completion":[{"content":"hi","role":"assistant"}]}})");
  EXPECT_EQ(build({text("gen_ai.completion.0.role", "assistant"),
                   text("gen_ai.completion", R"([{"content":"hi"}])")}),
            R"({"gen_ai":{"completion":{"0":{"role":"assistant","content":"hi"}}}})");
}

TEST_F(AttributeTreeTest, LaterLeafReplacesEarlierOne) {
  EXPECT_EQ(build({text("a", R"([{"r":1}])"), number("a.0.r", 2)}), R"({"a":[{"r":2}]})");
  EXPECT_EQ(build({number("a", 1), number("a", 2)}), R"({"a":2})");
}

TEST_F(AttributeTreeTest, KeepsElementsOfOneSideOnly) {
  EXPECT_EQ(build({text("a", R"([{"r":1}])"), number("a.1.r", 2), number("a.3", 9)}),
            R"({"a":[{"r":1},{"r":2},null,9]})");
  EXPECT_EQ(build({text("a", "[1,2]"), text("a", "[3]")}), R"({"a":[3,2]})");
  EXPECT_EQ(build({text("a", R"({"x":1})"), text("a", R"({"y":{"z":2}})")}),
            R"({"a":{"x":1,"y":{"z":2}}})");
  EXPECT_EQ(build({text("a", "[1]"), text("a", R"({"1":2})")}), R"({"a":[1,2]})");
  EXPECT_EQ(build({number("a.1", 5), text("a", "[4]")}), R"({"a":{"1":5,"0":4}})");
}

TEST_F(AttributeTreeTest, RejectsAPlainValueInPlaceOfAGroupInBothOrders) {
  EXPECT_EQ(
      build({text("a.b", "x"), text("a.b.c", "y")}),
      "Attribute 'a.b.c' conflicts with another: 'a.b' is both a value and a group of values");
  EXPECT_EQ(build({text("a.b.c", "y"), text("a.b", "x")}),
            "Attribute 'a.b' conflicts with another: 'a.b' is both a value and a group of values");
  EXPECT_NE(build({text("a", "[1]"), text("a.x", "y")}).find("'a.x'"), std::string::npos);
  EXPECT_NE(build({text("a.x", "y"), text("a", "[1]")}).find("'a'"), std::string::npos);
  EXPECT_NE(build({text("a", "[1]"), text("a", R"({"x":1})")}).find("'a'"), std::string::npos);
}

TEST_F(AttributeTreeTest, IgnoresNull) {
  EXPECT_EQ(build({{"a", Value()}, text("a.b", "x"), {"a", Value()}}), R"({"a":{"b":"x"}})");
  EXPECT_EQ(tree_.find("a.c"), nullptr);
}

TEST_F(AttributeTreeTest, RejectsIndexesFarBeyondTheEnd) {
  EXPECT_EQ(build({text("a", "[1]"), text("a.99999999", "y")}),
            "Attribute 'a.99999999' names a position too far beyond the end of its list");
  EXPECT_EQ(build({text("a", "[1]"), text("a", R"({"99999999":1})")}),
            "Attribute 'a' names a position too far beyond the end of its list");
}

TEST_F(AttributeTreeTest, EmptyItemsAreLimitedByTheNumberOfAttributes) {
  // Each key is within a fixed distance of the end, but the sum of the gaps is limited too.
  std::vector<std::string> keys;
  for (int i = 1; i <= 1000; ++i) keys.push_back("a." + std::to_string(i * 15));
  Attributes attributes = {text("a", "[1]")};
  for (const std::string& key : keys) attributes.push_back(number(key, 1));
  EXPECT_NE(build(attributes).find("too far beyond"), std::string::npos);
  // One empty item per attribute is accepted.
  std::vector<std::string> even;
  for (int i = 1; i <= 1000; ++i) even.push_back("a." + std::to_string(i * 2));
  attributes = {text("a", "[1]")};
  for (const std::string& key : even) attributes.push_back(number(key, 1));
  build(attributes);
  EXPECT_NE(tree_.find("a.2000"), nullptr);
}

TEST_F(AttributeTreeTest, VeryLargeListsInTextStayText) {
  std::string list = "[0";
  for (int i = 0; i < 200'000; ++i) list += ",0";
  list += "]";
  build({text("a", list), text("b", list)});
  ASSERT_NE(tree_.find("a"), nullptr);
  EXPECT_NE(tree_.find("a")->asList(), nullptr);
  ASSERT_NE(tree_.find("b"), nullptr);
  EXPECT_EQ(*tree_.find("b")->asText(), list);
}

TEST_F(AttributeTreeTest, FindsDottedKeysAndPositions) {
  build({text("gen_ai.prompt", R"([{"role":"user"},{"role":"system","x":null}])"), number("n", 3)});
  ASSERT_NE(tree_.find("gen_ai.prompt.1.role"), nullptr);
  EXPECT_EQ(*tree_.find("gen_ai.prompt.1.role")->asText(), "system");
  EXPECT_EQ(*tree_.find("n")->asInteger(), 3);
  for (const std::string_view absent : {"gen_ai.prompt.2", "gen_ai.prompt.x", "gen_ai.prompt.01",
                                        "n.x", "nothing", "gen_ai.prompt.1.x", ""}) {
    EXPECT_EQ(tree_.find(absent), nullptr) << absent;
  }
}

TEST_F(AttributeTreeTest, ConvertsMapsWithIndexNamesToListsAtEveryDepth) {
  build({text("m.1.x.0", "b"), text("m.0.x.0", "a"), text("n.1", "only"), text("e.k", "v")});
  std::string text;
  appendJson(text, withLists(tree_.root()));
  EXPECT_EQ(text, R"({"m":[{"x":["a"]},{"x":["b"]}],"n":{"1":"only"},"e":{"k":"v"}})");
}

}  // namespace
}  // namespace spindle::otlp
