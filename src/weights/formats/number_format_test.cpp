#include "weights/formats/number_format.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace spindle::weights {
namespace {

TEST(NumberFormat, HalfRoundTrips) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = floatOfHalf(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(floatOfHalf(halfOf(value))));
    } else {
      EXPECT_EQ(halfOf(value), half) << bits;
    }
  }
}

TEST(NumberFormat, HalvesRoundToTheNearestAndToEven) {
  EXPECT_EQ(halfOf(1.0F), 0x3c00);
  EXPECT_EQ(halfOf(-2.0F), 0xc000);
  EXPECT_EQ(halfOf(65504.0F), 0x7bff);
  EXPECT_EQ(halfOf(65520.0F), 0x7c00) << "beyond the largest";
  EXPECT_EQ(halfOf(65519.0F), 0x7bff);
  EXPECT_EQ(halfOf(1.0F + 0x1p-11F), 0x3c00) << "half way, to even";
  EXPECT_EQ(halfOf(1.0F + 3 * 0x1p-11F), 0x3c02) << "half way, to even";
  EXPECT_EQ(halfOf(0x1p-24F), 0x0001) << "the smallest";
  EXPECT_EQ(halfOf(0x1p-25F), 0x0000) << "half of it";
  EXPECT_EQ(halfOf(-0.0F), 0x8000);
}

TEST(NumberFormat, Bfloat16IsTheUpperHalfOfFloat) {
  EXPECT_EQ(bfloat16Of(1.0F), 0x3f80);
  EXPECT_EQ(bfloat16Of(-3.0F), 0xc040);
  EXPECT_EQ(bfloat16Of(1.0F + 0x1p-8F), 0x3f80) << "half way, to even";
  EXPECT_EQ(bfloat16Of(1.0F + 3 * 0x1p-8F), 0x3f82) << "half way, to even";
  EXPECT_EQ(floatOfBfloat16(0x3f80), 1.0F);
  EXPECT_TRUE(std::isnan(floatOfBfloat16(bfloat16Of(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(NumberFormat, NumbersAreReadAndWritten) {
  const std::vector<float> numbers = {0, 1, -2.5F, 100};
  for (const TensorType type : {TensorType::kF32, TensorType::kF16, TensorType::kBf16})
    EXPECT_EQ(floatsOf(type, encoded(type, numbers)), numbers);
  const double wide = 0.5;
  EXPECT_EQ(floatsOf(TensorType::kF64, {reinterpret_cast<const char*>(&wide), sizeof(wide)}),
            std::vector<float>{0.5F});
}

TEST(NumberFormat, Q8BlocksHaveAScale) {
  std::vector<float> numbers(64, 0.0F);
  numbers[0] = 127;
  numbers[1] = -1;
  numbers[31] = 2.4F;
  const std::string bytes = encoded(TensorType::kQ8_0, numbers);
  ASSERT_EQ(bytes.size(), 2 * 34U);
  EXPECT_EQ(bytes[0], '\x00');
  EXPECT_EQ(bytes[1], '\x3c') << "a scale of 1";
  EXPECT_EQ(bytes[2], 127);
  EXPECT_EQ(bytes[3], -1);
  EXPECT_EQ(bytes[33], 2);
  EXPECT_EQ(bytes.substr(34), std::string(34, '\0')) << "a block of nothing";
}

}  // namespace
}  // namespace spindle::weights
