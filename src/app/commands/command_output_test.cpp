#include "app/commands/command_output.h"

#include <cstdio>
#include <stdexcept>

#include <gtest/gtest.h>

namespace spindle::app {
namespace {

std::string printed(const CommandOutput& output, bool json) {
  testing::internal::CaptureStdout();
  print(output, json);
  return testing::internal::GetCapturedStdout();
}

TEST(CommandOutputTest, PrintsTheTableThenTheTextThenTheNote) {
  const CommandOutput output{.table = {{"id"}, {{"1"}}}, .text = "text\n", .note = "note"};
  EXPECT_EQ(printed(output, false), "ID\n1\ntext\nnote\n");
  EXPECT_EQ(printed(output, true), "{\"id\":\"1\"}\ntext\n");
}

TEST(CommandOutputTest, PrintsNoTableWithoutHeadings) {
  EXPECT_EQ(printed({.note = "done"}, false), "done\n");
  EXPECT_EQ(printed({.note = "done"}, true), "");
}

struct Double {
  int number;
};
struct Fail {};

/// A runner of two actions. Prints when it ends.
class NumberRunner {
 public:
  explicit NumberRunner(int add) : add_(add) {}
  NumberRunner(const NumberRunner&) = delete;
  NumberRunner& operator=(const NumberRunner&) = delete;
  ~NumberRunner() { std::printf("end\n"); }

  Result<CommandOutput> operator()(const Double& action) {
    return CommandOutput{.text = std::to_string(action.number * 2 + add_) + "\n"};
  }
  Result<CommandOutput> operator()(const Fail& /*action*/) {
    return Error::invalidArgument("not a number");
  }

 private:
  const int add_;
};

using NumberAction = std::variant<Double, Fail>;

TEST(RunActionTest, PrintsTheOutputAfterTheEndOfTheRunner) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(runAction<NumberRunner>(NumberAction(Double{20}), false, 2), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "end\n42\n");
}

TEST(RunActionTest, ThrowsTheMessageOfAnError) {
  try {
    runAction<NumberRunner>(NumberAction(Fail{}), false, 0);
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "not a number");
  }
}

}  // namespace
}  // namespace spindle::app
