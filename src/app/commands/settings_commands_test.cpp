#include "app/commands/settings_commands.h"

#include <string>

#include <gtest/gtest.h>

#include "config/reference.h"

namespace spindle::app {
namespace {

config::Loaded loadedWith(std::vector<config::NamedText> environment) {
  config::Sources sources;
  sources.environment = std::move(environment);
  return config::resolve(sources);
}

TEST(ConfigCommand, ShowsTheSettingsAsTomlOrJson) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(showConfig(loadedWith({}), {}), 0);
  EXPECT_TRUE(testing::internal::GetCapturedStdout().starts_with("[server]\n"));
  testing::internal::CaptureStdout();
  EXPECT_EQ(showConfig(loadedWith({}), {.json = true}), 0);
  EXPECT_TRUE(testing::internal::GetCapturedStdout().starts_with("{\n"));
}

TEST(ConfigCommand, ListsEveryProblemOnStderr) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(checkConfig(loadedWith({{"SPINDLE_LISTEN", "x"}, {"SPINDLE_LOG_LEVL", "info"}})), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "spindle: 2 problems with the settings:\n"
            "SPINDLE_LISTEN: expected an address of the form host:port, an IPv6 host in brackets, "
            "such as 127.0.0.1:8080, but found \"x\"\n"
            "SPINDLE_LOG_LEVL: unknown environment variable; did you mean SPINDLE_LOG_LEVEL?\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(ConfigCommand, ReportsValidSettings) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(checkConfig(loadedWith({})), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "the settings are valid\n");
}

TEST(ConfigCommand, PrintsTheReference) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(printReference(), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), config::referenceMarkdown());
}

}  // namespace
}  // namespace spindle::app
