#include "evaluation/recording/object_name.h"

#include <gtest/gtest.h>

namespace spindle::evaluation {
namespace {

TEST(ObjectName, IsConvertedToAnId) {
  EXPECT_EQ(objectIdOf("My Data Set/1", "Dataset"), "my_data_set_1");
  EXPECT_EQ(objectIdOf("a.b-C_d", "Dataset"), "a.b-c_d");
  EXPECT_EQ(objectIdOf("what? (really)!", "Dataset"), "what_really");
  EXPECT_EQ(objectIdOf("", "Dataset"), "");
}

TEST(ObjectName, FallsBackToTheKind) { EXPECT_EQ(objectIdOf(std::nullopt, "Dataset"), "Dataset"); }

TEST(ObjectName, IsParsedFromReferences) {
  EXPECT_EQ(nameInRef("svc:///acme/lab/object/accuracy:abc"), "accuracy");
  EXPECT_EQ(nameInRef("svc-trace-internal:///p1/op/my.scorer:abc/attr/x"), "my.scorer");
  EXPECT_EQ(nameInRef("svc:///acme/lab/call/0189"), std::nullopt);
  EXPECT_EQ(nameInRef("accuracy"), std::nullopt);
}

}  // namespace
}  // namespace spindle::evaluation
