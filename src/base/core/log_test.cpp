#include "base/core/log.h"

#include <string>

#include <gtest/gtest.h>

namespace spindle {
namespace {

class Log : public ::testing::Test {
 public:
  ~Log() override {
    setLogSinkForTest({});
    configureLogging(LogLevel::kInfo, LogFormat::kJson);
  }

 protected:
  Log() {
    setLogSinkForTest([this](std::string_view line) { lines_.emplace_back(line); });
  }
  std::vector<std::string> lines_;
};

TEST_F(Log, WritesOneJsonObjectPerLine) {
  configureLogging(LogLevel::kInfo, LogFormat::kJson);
  Logger("http").info("request", {{"path", "/a\"b\n"}, {"status", 200}, {"ok", true}, {"ms", 1.5}});
  ASSERT_EQ(lines_.size(), 1U);
  const std::string& line = lines_[0];
  EXPECT_EQ(line.substr(0, 9), R"({"time":")");
  EXPECT_NE(line.find(R"("level":"info","area":"http","event":"request","path":"/a\"b\u000a",)"
                      R"("status":200,"ok":true,"ms":1.5})"),
            std::string::npos);
}

TEST_F(Log, OmitsLinesBelowTheMinimumLevel) {
  configureLogging(LogLevel::kWarning, LogFormat::kText);
  Logger("http").info("quiet");
  Logger("http").error("loud", {{"why", "x"}});
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_NE(lines_[0].find("error   http loud why=\"x\""), std::string::npos);
}

}  // namespace
}  // namespace spindle
