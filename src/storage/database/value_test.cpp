#include "storage/database/value.h"

#include <gtest/gtest.h>

#include "base/core/results_for_test.h"

namespace spindle::storage {
namespace {

TEST(UnstorableReason, AcceptsUtf8) {
  expectTexts(unstorableReason, {{"", ""}, {"plain\n\t text", ""}, {"é ☃ 😀 \xF4\x8F\xBF\xBF", ""}});
}

TEST(UnstorableReason, RefusesNul) { EXPECT_NE(unstorableReason(std::string_view("a\0b", 3)), ""); }

TEST(UnstorableReason, RejectsInvalidUtf8) {
  for (const std::string_view broken : {"\x80", "a\xC3", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80",
                                        "\xF4\x90\x80\x80", "\xFF", "\xE2\x98", "\xF0\x9F\x98"}) {
    EXPECT_NE(unstorableReason(broken), "") << broken;
  }
}

TEST(Value, KnowsWhatItHolds) {
  EXPECT_TRUE(Value(std::nullopt).isNull());
  EXPECT_TRUE(Value(std::optional<std::string>()).isNull());
  EXPECT_EQ(*Value(true).asInteger(), 1);
  EXPECT_EQ(*Value(7).asInteger(), 7);
  EXPECT_EQ(*Value("x").asText(), "x");
  EXPECT_EQ(*Value(std::optional<std::int64_t>(5)).asInteger(), 5);
  EXPECT_EQ(*Value(0.5).asReal(), 0.5);
  EXPECT_EQ(*Value(timestampOfMicros(12)).asInteger(), 12);
}

TEST(Row, ThrowsForMissingColumnsAndOtherTypes) {
  const auto columns = std::make_shared<const Row::Columns>(Row::Columns{"a", "b", "c"});
  const Row row(columns, {Value(1), Value("text"), Value()});
  EXPECT_EQ(row.integer("a"), 1);
  EXPECT_EQ(row.real(0), 1.0);
  EXPECT_EQ(row.text(1), "text");
  EXPECT_EQ(row.optionalText("c"), std::nullopt);
  EXPECT_THROW(row.integer("b"), SqlError);
  EXPECT_THROW(row.text("c"), SqlError);
  EXPECT_THROW(row.integer("d"), SqlError);
  EXPECT_THROW(row.integer(3), SqlError);
}

}  // namespace
}  // namespace spindle::storage
