#include "engine/chat/strict_schema.h"

#include <gtest/gtest.h>

namespace spindle::engine {
namespace {

TEST(StrictSchema, RequiresEveryPropertyAndNoOther) {
  EXPECT_EQ(strictSchema(R"({"type":"object","properties":{"a":{"type":"integer"},"b":true}})"),
            R"({"type":"object","properties":{"a":{"type":"integer"},"b":true},)"
            R"("required":["a","b"],"additionalProperties":false})");
  EXPECT_EQ(strictSchema(R"({"properties":{"a":{}},"required":[],"additionalProperties":true})"),
            R"({"properties":{"a":{}},"required":["a"],"additionalProperties":false})");
}

TEST(StrictSchema, ReachesSchemasInsideSchemas) {
  const std::string open = R"({"properties":{"x":{}}})";
  const std::string closed =
      R"({"properties":{"x":{}},"required":["x"],"additionalProperties":false})";
  for (const std::string name : {"items", "not"})
    EXPECT_EQ(strictSchema(R"({")" + name + R"(":)" + open + "}"),
              R"({")" + name + R"(":)" + closed + "}");
  for (const std::string name : {"anyOf", "oneOf", "allOf", "prefixItems"})
    EXPECT_EQ(strictSchema(R"({")" + name + R"(":[)" + open + ",true]}"),
              R"({")" + name + R"(":[)" + closed + ",true]}");
  for (const std::string name : {"$defs", "definitions"})
    EXPECT_EQ(strictSchema(R"({")" + name + R"(":{"properties":)" + open + "}}"),
              R"({")" + name + R"(":{"properties":)" + closed + "}}");
}

TEST(StrictSchema, LeavesValuesAndFreeObjectsAlone) {
  for (const std::string schema :
       {R"({"enum":[{"properties":{"x":1}}]})", R"({"const":{"properties":{"x":1}}})",
        R"({"type":"object","additionalProperties":{"type":"string"}})", R"({"type":"object"})",
        "true"})
    EXPECT_EQ(strictSchema(schema), schema);
}

}  // namespace
}  // namespace spindle::engine
