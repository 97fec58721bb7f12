#include "json/stored.h"

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace spindle::json {
namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(StoredJson, MayBeDeeperThanTheInputLimit) {
  EXPECT_EQ(parseStored(nested(Document::kDefaultDepth + 1)).root().size(), 1U);
  EXPECT_EQ(parseStored(nested(kStoredDepth)).root().size(), 1U);
}

TEST(StoredJson, ThrowsWhenItIsDamaged) {
  EXPECT_THROW(parseStored(R"({"a":)"), std::runtime_error);
  EXPECT_THROW(parseStored(nested(kStoredDepth + 1)), std::runtime_error);
}

}  // namespace
}  // namespace spindle::json
