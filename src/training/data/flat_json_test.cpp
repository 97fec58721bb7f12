#include "training/data/flat_json.h"

#include <gtest/gtest.h>

namespace spindle::training {
namespace {

TEST(FlatJson, WritesTextsNumbersFlagsAndNullInOrder) {
  EXPECT_EQ(flatJson({}), "{}");
  EXPECT_EQ(flatJson({{"text", std::string("a\"b")},
                      {"none", std::nullopt},
                      {"number", std::int64_t{3}},
                      {"flag", true}}),
            R"({"text":"a\"b","none":null,"number":3,"flag":true})");
}

}  // namespace
}  // namespace spindle::training
