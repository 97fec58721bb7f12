#include "base/core/error.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/core/result.h"

namespace spindle {
namespace {

Error detailed() {
  return Error::conflict("The team exists.").because("exists").with("team", R"("acme")");
}

void expectDetailed(const Error& error) {
  EXPECT_EQ(error.code(), ErrorCode::kConflict);
  EXPECT_EQ(error.message(), "The team exists.");
  EXPECT_EQ(error.reason(), "exists");
  ASSERT_EQ(error.members().size(), 1U);
  EXPECT_EQ(error.members().front().first, "team");
  EXPECT_EQ(error.members().front().second, R"("acme")");
}

TEST(Error, CopiesAreIndependent) {
  const Error original = detailed();
  Error copy = original;
  expectDetailed(copy);
  copy = std::move(copy).because("changed");
  EXPECT_EQ(copy.reason(), "changed");
  expectDetailed(original);
  copy = original;
  expectDetailed(copy);
}

TEST(Error, AssignsItself) {
  Error error = detailed();
  const Error& same = error;
  error = same;
  expectDetailed(error);
}

TEST(Error, KeepsItsCodeWhenMovedFrom) {
  Error error = detailed();
  expectDetailed(Error(std::move(error)));
  EXPECT_EQ(error.code(), ErrorCode::kConflict);  // NOLINT(bugprone-use-after-move): the guarantee
  EXPECT_EQ(error.message(), "");
  EXPECT_EQ(error.reason(), "");
  EXPECT_TRUE(error.violations().empty());
  EXPECT_TRUE(error.members().empty());
  EXPECT_EQ(std::move(error).because("again").reason(), "again");
}

TEST(Error, ContainsTheViolationsOfARequest) {
  const Error error =
      Error::invalid({{.type = "missing", .loc = {"name"}, .msg = "Field required", .ctx = ""}});
  EXPECT_EQ(error.code(), ErrorCode::kInvalidSchema);
  ASSERT_EQ(error.violations().size(), 1U);
  EXPECT_EQ(error.violations().front().type, "missing");
}

TEST(Result, IsCopiedWithItsError) {
  const Result<int> failed = detailed();
  const Result<int> copy = failed;  // NOLINT(performance-unnecessary-copy-initialization)
  ASSERT_FALSE(copy);
  expectDetailed(copy.error());
  EXPECT_THROW(static_cast<void>(failed.value()), std::bad_optional_access);
}

}  // namespace
}  // namespace spindle
