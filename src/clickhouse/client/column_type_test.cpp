#include "clickhouse/client/column_type.h"

#include <gtest/gtest.h>

namespace spindle::clickhouse {
namespace {

TEST(ColumnType, ParsesTheNamesOfTypes) {
  const auto text = columnTypeOf("LowCardinality(Nullable(String))");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->kind, TypeKind::kText);
  EXPECT_TRUE(text->nullable);
  const auto time = columnTypeOf("Nullable(DateTime64(3, 'Europe/Berlin'))");
  ASSERT_TRUE(time);
  EXPECT_EQ(time->kind, TypeKind::kTime);
  EXPECT_EQ(time->fraction_digits, 3);
  EXPECT_EQ(columnTypeOf("DateTime('UTC')")->bytes, 4);
  EXPECT_EQ(columnTypeOf("FixedString(16)")->bytes, 16);
  EXPECT_EQ(columnTypeOf("Array(LowCardinality(String))")->kind, TypeKind::kTexts);
  EXPECT_TRUE(columnTypeOf("Array(Nullable(String))")->nullable_items);
  EXPECT_EQ(columnTypeOf("Array(Nothing)")->kind, TypeKind::kTexts);
  EXPECT_EQ(columnTypeOf("Nullable(Nothing)")->kind, TypeKind::kNothing);
  EXPECT_EQ(columnTypeOf("UInt16")->bytes, 2);
}

TEST(ColumnType, RefusesTypesThatTheClientDoesNotRead) {
  for (const char* const name :
       {"", "Int128", "Tuple(String)", "Map(String, String)", "Array(Int8)", "FixedString(0)",
        "Array(FixedString(2))", "DateTime64(12)", "Nullable(Array(String))", "Nullable(",
        "String)"})
    EXPECT_FALSE(columnTypeOf(name)) << name;
}

}  // namespace
}  // namespace spindle::clickhouse
