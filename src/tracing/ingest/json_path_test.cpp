#include "tracing/ingest/json_path.h"

#include <gtest/gtest.h>

namespace spindle::tracing {
namespace {

TEST(JsonPath, FindsMembersAndPositions) {
  constexpr std::string_view kJson = R"({"a":{"b":["x",{"c":"deep"}],"1":"one","n":5}})";
  EXPECT_EQ(stringAt(kJson, {"a", "b", "0"}), "x");
  EXPECT_EQ(stringAt(kJson, {"a", "b", "1", "c"}), "deep");
  EXPECT_EQ(stringAt(kJson, {"a", "1"}), "one") << "digits may name a member";
  EXPECT_EQ(stringAt(R"("whole")", {}), "whole");
}

TEST(JsonPath, ReturnsNothingForMissingPaths) {
  constexpr std::string_view kJson = R"({"a":["x"],"n":5,"z":null})";
  EXPECT_EQ(stringAt(kJson, {"b"}), std::nullopt);
  EXPECT_EQ(stringAt(kJson, {"a", "1"}), std::nullopt);
  EXPECT_EQ(stringAt(kJson, {"a", "-1"}), std::nullopt);
  EXPECT_EQ(stringAt(kJson, {"a", "0x"}), std::nullopt);
  EXPECT_EQ(stringAt(kJson, {"a", "0", "b"}), std::nullopt);
  EXPECT_EQ(stringAt(kJson, {"n"}), std::nullopt) << "no string";
  EXPECT_EQ(stringAt(kJson, {"z"}), std::nullopt);
  EXPECT_EQ(stringAt("not json", {"a"}), std::nullopt);
}

TEST(JsonPath, ReturnsJsonUnchanged) {
  constexpr std::string_view kJson = R"({"a":[1.50,{"b": null}]})";
  EXPECT_EQ(jsonAt(kJson, {"a", "0"}), "1.50");
  EXPECT_EQ(jsonAt(kJson, {"a", "1"}), R"({"b": null})");
  EXPECT_EQ(jsonAt(kJson, {"a", "1", "b"}), "null");
  EXPECT_EQ(jsonAt(kJson, {"a", "2"}), std::nullopt);
}

TEST(JsonPath, ReplacesAValue) {
  EXPECT_EQ(replacedAt(R"({"a":["x","y"],"b":1})", {"a", "1"}, R"({"v":2})"),
            R"({"a":["x",{"v":2}],"b":1})");
  EXPECT_EQ(replacedAt(R"("x")", {}, "1"), "1");
  EXPECT_EQ(replacedAt(R"({"a":1})", {"b"}, "2"), R"({"a":1})");
}

TEST(JsonPath, AddsTheRefToAnObject) {
  EXPECT_EQ(withRef(R"({"a":1})", "svc:///r"), R"({"_ref":"svc:///r","a":1})");
  EXPECT_EQ(withRef("{}", "r"), R"({"_ref":"r"})");
  EXPECT_EQ(withRef("{ }", "r"), R"({"_ref":"r" })");
  EXPECT_EQ(withRef("[1]", "r"), "[1]") << "only objects have room for it";
}

}  // namespace
}  // namespace spindle::tracing
