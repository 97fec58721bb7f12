#include "config/nearest.h"

#include <gtest/gtest.h>

#include "config/declarations.h"

namespace spindle::config {
namespace {

TEST(Nearest, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(editDistance("listen", "listen"), 0U);
  EXPECT_EQ(editDistance("lisen", "listen"), 1U);
  EXPECT_EQ(editDistance("listten", "listen"), 1U);
  EXPECT_EQ(editDistance("lister", "listen"), 1U);
  EXPECT_EQ(editDistance("litsen", "listen"), 1U);
  EXPECT_EQ(editDistance("", "abc"), 3U);
  EXPECT_EQ(editDistance("abc", ""), 3U);
  EXPECT_EQ(editDistance("kitten", "sitting"), 3U);
}

TEST(Nearest, FindsTheClosestOfSeveralNames) {
  EXPECT_EQ(nearestName("sevre", {"serve", "config", "doctor"}), "serve");
  EXPECT_EQ(nearestName("docter", {"serve", "config", "doctor"}), "doctor");
}

TEST(Nearest, ReturnsNothingWhenNoNameIsClose) {
  EXPECT_EQ(nearestName("frobnicate", {"serve", "config", "doctor"}), "");
  EXPECT_EQ(nearestName("x", {}), "");
}

TEST(NearestSetting, FindsMistypedKeysFlagsAndVariables) {
  EXPECT_EQ(nearestSetting("server.lisen")->key, "server.listen");
  EXPECT_EQ(nearestSetting("limts.json_dept")->key, "limits.json_depth");
  EXPECT_EQ(nearestSetting("--data-dri")->key, "storage.data_dir");
  EXPECT_EQ(nearestSetting("--no-acces-log")->key, "server.access_log");
  EXPECT_EQ(nearestSetting("SPINDLE_LOGLEVEL")->key, "log.level");
  EXPECT_EQ(nearestSetting("frobnicate"), nullptr);
  EXPECT_EQ(nearestSetting(""), nullptr);
}

TEST(NearestSetting, IgnoresAMissingOrWrongSection) {
  EXPECT_EQ(nearestSetting("SPINDLE_SERVER_LISTEN")->key, "server.listen");
  EXPECT_EQ(nearestSetting("SPINDLE_IDLE_TIMEOUT")->key, "limits.idle_timeout");
  EXPECT_EQ(nearestSetting("--idle-timeout")->key, "limits.idle_timeout");
  EXPECT_EQ(nearestSetting("server.data_dir")->key, "storage.data_dir");
  EXPECT_EQ(nearestSetting("data_dir")->key, "storage.data_dir");
}

}  // namespace
}  // namespace spindle::config
