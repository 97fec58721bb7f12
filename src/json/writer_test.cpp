#include "json/writer.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "base/core/results_for_test.h"
#include "json/escape.h"

namespace spindle::json {
namespace {

TEST(JsonWriter, PlacesCommasAndColons) {
  std::string out;
  Writer writer(out);
  writer.beginObject().key("a").beginArray().integer(1).null().beginObject().endObject().endArray();
  writer.key("b").string("x").key("c").boolean(true).key("d").raw("[1]").endObject();
  EXPECT_EQ(out, R"({"a":[1,null,{}],"b":"x","c":true,"d":[1]})");
}

TEST(JsonWriter, WritesTheShortestNumberThatReadsBack) {
  expectResults<double, std::string_view>(shortestNumber,
                                          {{0.1, "0.1"},
                                           {1, "1.0"},
                                           {-0.0, "-0.0"},
                                           {100, "100.0"},
                                           {1234.5, "1234.5"},
                                           {1e15, "1000000000000000.0"},
                                           {1e16, "1e+16"},
                                           {1.5e-7, "1.5e-07"},
                                           {0.0001, "0.0001"},
                                           {0.00001, "1e-05"},
                                           {1.7976931348623157e308, "1.7976931348623157e+308"},
                                           {5e-324, "5e-324"}});
}

TEST(JsonWriter, NumbersSurviveTheRoundTrip) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(std::strtod(shortestNumber(value).c_str(), nullptr), value);
  }
}

TEST(JsonWriter, WritesNullForNonFiniteNumbers) {
  std::string out;
  Writer(out).number(std::numeric_limits<double>::infinity());
  EXPECT_EQ(out, "null");
}

TEST(JsonWriter, EscapesAndRepairsStrings) {
  EXPECT_EQ(quoted("a\"\\\n\x01é😀"), "\"a\\\"\\\\\\n\\u0001é😀\"");
  EXPECT_EQ(quoted("bad \xff\xc3 ok é"), "\"bad \uFFFD\uFFFD ok é\"");
  EXPECT_EQ(quoted(std::string_view("\0", 1)), "\"\\u0000\"");
}

TEST(Escape, WritesAsciiAsPythonDoes) {
  std::string out;
  appendAsciiQuoted(out, "a\xC3\xA9\xF0\x9F\x98\x80\n\x01\x7F\"\\");
  EXPECT_EQ(out, R"("a\u00e9\ud83d\ude00\n\u0001\u007f\"\\")");
}

TEST(Escape, RepairsOnlyInvalidUtf8) {
  EXPECT_EQ(repairedText("gr\xC3\xBC\xC3\x9F"), std::nullopt);
  EXPECT_EQ(repairedText("a\xFF"
                         "b"),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(JsonWriter, CompactsOnlyBetweenTokens) {
  EXPECT_EQ(compact("{ \"a b\" : [ 1 , \"x \\\" y\" ]\n}"), "{\"a b\":[1,\"x \\\" y\"]}");
}

}  // namespace
}  // namespace spindle::json
