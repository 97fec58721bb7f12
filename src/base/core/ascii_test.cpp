#include "base/core/ascii.h"

#include <gtest/gtest.h>

namespace spindle {
namespace {

TEST(Ascii, ClassifiesCharacters) {
  for (const char c : {'a', 'z', 'A', 'Z'}) EXPECT_TRUE(isLetter(c) && !isDigit(c)) << c;
  for (const char c : {'0', '9'}) EXPECT_TRUE(isDigit(c) && !isLetter(c)) << c;
  for (const char c : {'/', ':', '@', '[', '`', '{', '_', '\xC3', '\0'}) {
    EXPECT_FALSE(isLetterOrDigit(c)) << c;
  }
}

TEST(Ascii, ReadsHexadecimalDigits) {
  EXPECT_EQ(hexValue('0'), 0);
  EXPECT_EQ(hexValue('f'), 15);
  EXPECT_EQ(hexValue('A'), 10);
  EXPECT_EQ(hexValue('g'), -1);
}

TEST(Ascii, ConvertsOnlyAsciiLetters) {
  EXPECT_EQ(lowerCase("AZ az 09 [\xC3\x84]"), "az az 09 [\xC3\x84]");
}

TEST(Ascii, TrimsSpacesAndTabs) {
  EXPECT_EQ(trimmed(" \t a b\t "), "a b");
  EXPECT_EQ(trimmed("\n"), "\n");
  EXPECT_EQ(trimmed(" \t"), "");
}

}  // namespace
}  // namespace spindle
