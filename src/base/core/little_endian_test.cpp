#include "base/core/little_endian.h"

#include <gtest/gtest.h>

namespace spindle {
namespace {

TEST(LittleEndian, WritesTheLowestByteFirst) {
  std::string bytes = "x";
  putLittleEndian(bytes, std::uint32_t{0x01020304});
  putLittleEndian(bytes, std::uint64_t{0xF0});
  EXPECT_EQ(bytes, std::string("x\x04\x03\x02\x01\xF0\0\0\0\0\0\0\0", 13));
  EXPECT_EQ(littleEndianAt<std::uint32_t>(bytes, 1), 0x01020304U);
  EXPECT_EQ(littleEndianAt<std::uint64_t>(bytes, 5), 0xF0U);
}

}  // namespace
}  // namespace spindle
