#include "feedback/json_schema.h"

#include <string>

#include <gtest/gtest.h>

namespace spindle::feedback {
namespace {

/// Returns the error of a value, or `fine`.
std::string check(const std::string& value, const std::string& schema) {
  const Result<void> result = checkAgainstSchema(value, schema);
  return result ? "fine" : result.error().message();
}

TEST(JsonSchema, ChecksTypes) {
  EXPECT_EQ(check("1", R"({"type":"integer"})"), "fine");
  EXPECT_EQ(check("1.0", R"({"type":"integer"})"), "fine");
  EXPECT_EQ(check("1.5", R"({"type":"integer"})"), "Value 1.5 is not of type 'integer'");
  EXPECT_EQ(check("1.5", R"({"type":"number"})"), "fine");
  EXPECT_EQ(check("true", R"({"type":"number"})"), "Value true is not of type 'number'");
  EXPECT_EQ(check("\"a\"", R"({"type":["number","string"]})"), "fine");
  EXPECT_EQ(check("null", R"({"type":["number","string"]})"),
            R"(Value null is of none of the types ["number","string"])");
  EXPECT_EQ(check("{}", "true"), "fine");
}

TEST(JsonSchema, ChecksBounds) {
  EXPECT_EQ(check("5", R"({"minimum":1,"maximum":5})"), "fine");
  EXPECT_EQ(check("0", R"({"minimum":1})"), "Value 0 is less than the minimum of 1.0");
  EXPECT_EQ(check("6", R"({"maximum":5})"), "Value 6 is greater than the maximum of 5.0");
  EXPECT_EQ(check("1", R"({"exclusiveMinimum":1})"), "Value 1 is not greater than 1.0");
  EXPECT_EQ(check("1", R"({"exclusiveMaximum":1})"), "Value 1 is not less than 1.0");
  EXPECT_EQ(check("0.3", R"({"multipleOf":0.1})"), "fine");
  EXPECT_EQ(check("0.35", R"({"multipleOf":0.1})"), "Value 0.35 is not a multiple of 0.1");
}

TEST(JsonSchema, ChecksStrings) {
  EXPECT_EQ(check("\"äb\"", R"({"minLength":2,"maxLength":2})"), "fine");
  EXPECT_EQ(check("\"a\"", R"({"minLength":2})"), "Value \"a\" is too short");
  EXPECT_EQ(check("\"abc\"", R"({"maxLength":2})"), "Value \"abc\" is too long");
  EXPECT_EQ(check("\"abc\"", R"({"pattern":"^[0-9]+$"})"),
            "Value \"abc\" does not match '^[0-9]+$'");
}

TEST(JsonSchema, ChecksEnumAndConst) {
  EXPECT_EQ(check("\"a\"", R"({"enum":["a","b"]})"), "fine");
  EXPECT_EQ(check("1.0", R"({"enum":[1]})"), "fine");
  EXPECT_EQ(check("\"c\"", R"({"enum":["a","b"]})"), R"(Value "c" is not one of ["a","b"])");
  EXPECT_EQ(check("2", R"({"const":1})"), "Value 2 is not 1");
}

TEST(JsonSchema, ChecksListsAndObjects) {
  EXPECT_EQ(check("[1,2]", R"({"items":{"type":"number"},"minItems":2,"maxItems":2})"), "fine");
  EXPECT_EQ(check("[1,\"a\"]", R"({"items":{"type":"number"}})"),
            "Value [1,\"a\"] has an item that is not of type 'number'");
  EXPECT_EQ(check("[1]", R"({"minItems":2})"), "Value [1] has too few items");
  EXPECT_EQ(check("[1]", R"({"maxItems":0})"), "Value [1] has too many items");
  const std::string object =
      R"({"properties":{"a":{"type":"number"}},"required":["a"],"additionalProperties":false})";
  EXPECT_EQ(check(R"({"a":1})", object), "fine");
  EXPECT_EQ(check("{}", object), "Value {} has no 'a'");
  EXPECT_EQ(check(R"({"a":true})", object),
            R"(Value {"a":true} has a 'a' that is not of type 'number')");
  EXPECT_EQ(check(R"({"a":1,"b":2})", object), R"(Value {"a":1,"b":2} has an unknown 'b')");
}

TEST(JsonSchema, ChecksCombinations) {
  EXPECT_EQ(check("1", R"({"anyOf":[{"type":"string"},{"type":"null"}]})"),
            "Value 1 matches no schema of anyOf");
  EXPECT_EQ(check("1", R"({"oneOf":[{"type":"number"},{"type":"integer"}]})"),
            "Value 1 does not match exactly one schema of oneOf");
  EXPECT_EQ(check("1", R"({"allOf":[{"minimum":0},{"minimum":2}]})"),
            "Value 1 does not match all schemas of allOf");
  EXPECT_EQ(check("1", R"({"not":{"type":"number"}})"), "Value 1 matches the schema of not");
}

TEST(JsonSchema, LimitsTheWork) {
  std::string list = "[0";
  for (int i = 0; i < 100'000; ++i) list += ",0";
  EXPECT_NE(check(list + "]", R"({"items":{"allOf":[{},{},{}]}})"), "fine");
}

}  // namespace
}  // namespace spindle::feedback
