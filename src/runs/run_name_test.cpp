#include "runs/run_name.h"

#include <set>

#include <gtest/gtest.h>

namespace spindle::runs {
namespace {

TEST(RunName, IsTwoWordsAndTheNumberOfTheRun) {
  const std::string name = randomRunName(12);
  const std::size_t first = name.find('-');
  const std::size_t second = name.find('-', first + 1);
  ASSERT_NE(second, std::string::npos);
  EXPECT_GT(first, 0U);
  EXPECT_GT(second, first + 1);
  EXPECT_EQ(name.substr(second + 1), "12");
}

TEST(RunName, DiffersFromRunToRun) {
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i) names.insert(randomRunName(1));
  EXPECT_GT(names.size(), 10U);
}

TEST(RunName, RandomIdHasEightLowerCaseLettersAndDigits) {
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) {
    const std::string id = randomRunId();
    EXPECT_EQ(id.size(), 8U);
    EXPECT_EQ(id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"), std::string::npos);
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 100U);
}

}  // namespace
}  // namespace spindle::runs
