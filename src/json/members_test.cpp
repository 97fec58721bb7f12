#include "json/members.h"

#include <gtest/gtest.h>

#include "json/stored.h"

namespace spindle::json {
namespace {

TEST(Members, AreReadByTypeAndMissingOtherwise) {
  const Document document =
      parseStored(R"({"text":"a\n","number":7,"large":12345678901234567890,"object":{},)"
                  R"("array":[],"null":null})");
  const Node root = document.root();
  EXPECT_EQ(textIn(root, "text"), "a\n");
  EXPECT_EQ(textIn(root, "number"), "");
  EXPECT_EQ(textIn(root, "missing"), "");
  EXPECT_EQ(integerIn(root, "number"), 7);
  EXPECT_EQ(integerIn(root, "text", 3), 3);
  EXPECT_EQ(integerIn(root, "large", 3), 3) << "does not fit into 64 bits";
  EXPECT_EQ(integerIn(root, "missing"), 0);
  EXPECT_TRUE(objectIn(root, "object"));
  EXPECT_FALSE(objectIn(root, "array"));
  EXPECT_TRUE(arrayIn(root, "array"));
  EXPECT_FALSE(arrayIn(root, "object"));
  EXPECT_TRUE(memberOf(root, "null")->isNull());
  EXPECT_FALSE(memberOf(root, "missing"));
}

TEST(Members, DoNotExistInOtherValues) {
  const Document document = parseStored("[1]");
  EXPECT_FALSE(memberOf(document.root(), "text"));
  EXPECT_EQ(textIn(document.root(), "text"), "");
}

}  // namespace
}  // namespace spindle::json
