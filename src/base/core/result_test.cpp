#include "base/core/result.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace spindle {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return Error::invalidArgument("odd");
  return number / 2;
}

Result<void> requireEven(int number) {
  TRY(half(number));
  return {};
}

Result<std::unique_ptr<int>> boxedQuarter(int number) {
  TRY(requireEven(number));
  const int once = TRY(half(number));
  const int twice = TRY(half(once));
  return std::make_unique<int>(twice);
}

Result<int> unboxed(int number) {
  const std::unique_ptr<int> box = TRY(boxedQuarter(number));
  if (!TRY(Result<bool>(number > 0))) return 0;
  return *box;
}

TEST(Try, IsTheValueOfAResult) { EXPECT_EQ(*unboxed(12), 3); }

TEST(Try, ReturnsTheErrorOfAResult) {
  EXPECT_EQ(unboxed(7).error().message(), "odd");
  EXPECT_EQ(unboxed(6).error().message(), "odd") << "of the second call";
}

TEST(Try, CopiesTheValueOfANamedResult) {
  const auto twice = [](const Result<std::string>& text) -> Result<std::string> {
    const std::string first = TRY(text);
    const std::string second = TRY(text);
    return first + second;
  };
  const Result<std::string> text(std::string("ab"));
  EXPECT_EQ(*twice(text), "abab");
  EXPECT_EQ(*text, "ab");
}

}  // namespace
}  // namespace spindle
