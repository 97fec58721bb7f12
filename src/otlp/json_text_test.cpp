#include "otlp/json_text.h"

#include <limits>

#include <gtest/gtest.h>

namespace spindle::otlp {
namespace {

TEST(JsonText, WritesAsPythonDoes) {
  TextArena texts;
  const std::string_view text =
      R"({"city":"Oslo","n":[1,2.0,1e-5,1e22,true,null],"u":"é😀\u007f\"\\","e":{},"l":[]})";
  const std::optional<Value> value = parseJson(text, texts);
  ASSERT_TRUE(value);
  EXPECT_EQ(pythonJson(*value), R"({"city": "Oslo", "n": [1, 2.0, 1e-05, 1e+22, true, null], )"
                                R"("u": "\u00e9\ud83d\ude00\u007f\"\\", "e": {}, "l": []})");
}

TEST(JsonText, WritesCompactly) {
  TextArena texts;
  std::string out;
  appendJson(out, *parseJson("{\"a\": [ 1 , \"\xC3\xA9\" ]}", texts));
  EXPECT_EQ(out, "{\"a\":[1,\"\xC3\xA9\"]}");
}

TEST(JsonText, WritesNonFiniteNumbersAsText) {
  const List list = {Value(std::numeric_limits<double>::quiet_NaN()),
                     Value(std::numeric_limits<double>::infinity()),
                     Value(-std::numeric_limits<double>::infinity())};
  EXPECT_EQ(pythonJson(Value(list)), R"(["NaN", "Infinity", "-Infinity"])");
}

TEST(JsonText, LastMemberWithTheSameNameWins) {
  TextArena texts;
  EXPECT_EQ(pythonJson(*parseJson(R"( {"a":1,"b":2,"a":3})", texts)), R"({"a": 3, "b": 2})");
}

TEST(JsonText, PointsIntoTheTextWhereItHasNoEscapes) {
  TextArena texts;
  const std::string text = R"(  {"key":"plain","x":"esc\taped"})";
  const std::optional<Value> value = parseJson(text, texts);
  ASSERT_TRUE(value);
  const std::string_view plain = *value->find("key")->asText();
  EXPECT_EQ(plain, "plain");
  EXPECT_EQ(plain.data(), text.data() + text.find("plain"));
  EXPECT_EQ(*value->find("x")->asText(), "esc\taped");
}

TEST(JsonText, RejectsInvalidJson) {
  TextArena texts;
  for (const std::string_view bad : {"", "[", "{'a':1}", "[1] 2", "NaN"})
    EXPECT_FALSE(parseJson(bad, texts)) << bad;
}

TEST(Value, TruthinessMatchesPython) {
  using namespace std::string_view_literals;
  for (const Value& falsy : {Value(), Value(false), Value(std::int64_t{0}), Value(0.0), Value(""sv),
                             Value(Bytes{}), Value(List()), Value(Map())}) {
    EXPECT_FALSE(falsy.isTruthy());
  }
  for (const Value& truthy : {Value(true), Value(std::int64_t{-1}), Value(0.5), Value("0"sv),
                              Value(Bytes{"x"}), Value(List{Value()}), Value(Map{{"a"}})}) {
    EXPECT_TRUE(truthy.isTruthy());
  }
}

}  // namespace
}  // namespace spindle::otlp
