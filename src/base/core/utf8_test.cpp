#include "base/core/utf8.h"

#include <gtest/gtest.h>

namespace spindle {
namespace {

TEST(Utf8, AcceptsTheSameTextAsDuckDb) {
  for (const std::string_view good :
       {"", "plain ascii of some length", "gr\xC3\xBC\xC3\x9F", "\xED\x9F\xBF", "\xEE\x80\x80",
        "\xF0\x90\x80\x80", "12345678\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(isUtf8(good)) << good;
  }
  EXPECT_TRUE(isUtf8(std::string_view("a\0b", 3)));
  for (const std::string_view bad :
       {"\x80", "\xC3", "12345678\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
        "\xF0\x80\x80\x80", "\xFF", "a\xE2\x82", "\xE2\x28\xA1"}) {
    EXPECT_FALSE(isUtf8(bad)) << bad;
  }
}

TEST(Utf8, CountsCharacters) {
  EXPECT_EQ(charactersIn(""), 0U);
  EXPECT_EQ(charactersIn("gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80"), 6U);
}

TEST(Utf8, AppendsCodePoints) {
  std::string text;
  for (const char32_t code : {U'a', U'\u00FC', U'\u2603', U'\U0001F600'}) appendUtf8(text, code);
  EXPECT_EQ(text, "a\xC3\xBC\xE2\x98\x83\xF0\x9F\x98\x80");
}

}  // namespace
}  // namespace spindle
