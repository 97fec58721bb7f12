#include "config/nearest.h"

#include <gtest/gtest.h>

#include "base/core/results_for_test.h"
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

/// Returns the key of the nearest setting, or nothing.
std::string nearestKey(std::string_view written) {
  const Setting* nearest = nearestSetting(written);
  return nearest == nullptr ? "" : nearest->key;
}

TEST(NearestSetting, FindsMistypedKeysFlagsAndVariables) {
  expectTexts(nearestKey, {{"server.lisen", "server.listen"},
                           {"limts.json_dept", "limits.json_depth"},
                           {"--data-dri", "storage.data_dir"},
                           {"--no-acces-log", "server.access_log"},
                           {"SPINDLE_LOGLEVEL", "log.level"}});
  EXPECT_EQ(nearestSetting("frobnicate"), nullptr);
  EXPECT_EQ(nearestSetting(""), nullptr);
}

TEST(NearestSetting, IgnoresAMissingOrWrongSection) {
  EXPECT_EQ(nearestKey("SPINDLE_SERVER_LISTEN"), "server.listen");
  for (const std::string_view written : {"SPINDLE_IDLE_TIMEOUT", "--idle-timeout"}) {
    EXPECT_EQ(nearestKey(written), "limits.idle_timeout") << written;
  }
  for (const std::string_view written : {"server.data_dir", "data_dir"}) {
    EXPECT_EQ(nearestKey(written), "storage.data_dir") << written;
  }
}

}  // namespace
}  // namespace spindle::config
