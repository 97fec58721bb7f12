#include "app/migrate/side.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/core/folder_for_test.h"

namespace spindle::app {
namespace {

/// Removes all variables of Spindle, such as those of test programs, for its lifetime: they would
/// be settings of a side.
class WithoutSettings {
 public:
  WithoutSettings() {
    for (char** at = environ; *at != nullptr; ++at) {
      const std::string_view variable = *at;
      const std::size_t end = variable.find('=');
      if (!variable.starts_with("SPINDLE_") || end == std::string_view::npos) continue;
      removed_.emplace_back(variable.substr(0, end), variable.substr(end + 1));
    }
    // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
    for (const auto& [name, value] : removed_) ::unsetenv(name.c_str());
  }
  ~WithoutSettings() {
    for (const auto& [name, value] : removed_)
      ::setenv(name.c_str(), value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): one thread
  }
  WithoutSettings(const WithoutSettings&) = delete;
  WithoutSettings& operator=(const WithoutSettings&) = delete;

 private:
  std::vector<std::pair<std::string, std::string>> removed_;
};

class SideTest : public ::testing::Test {
 protected:
  std::string file(const std::string& text) const {
    const std::string path = folder_.path() + "/cluster.toml";
    std::ofstream(path) << text;
    return path;
  }
  Side side(const std::string& name) {
    return Side(name, settingsOfSide(name), true, metrics_, clock_);
  }

  const WithoutSettings without_settings_;
  FolderForTest folder_;
  MetricRegistry metrics_;
  SystemClock clock_;
};

TEST_F(SideTest, AFolderHasTheEmbeddedStores) {
  const Side data = side(folder_.path() + "/data");
  EXPECT_EQ(data.metadataPlace(), data.folder().path() + "/metadata.sqlite");
  EXPECT_EQ(data.filesPlace(), data.folder().path() + "/files");
  EXPECT_EQ(data.tracesPlace(), data.folder().path() + "/traces");
}

TEST_F(SideTest, PlacesHaveNoPasswords) {
  const Side cluster = side(file("[storage]\ndata_dir = \"" + folder_.path() +
                                 "/node\"\nmetadata = \"postgresql://me:pw@db:5432/sp?sslmode=x\"\n"
                                 "[files]\nstore = \"s3\"\ns3_endpoint = \"http://s3:9000\"\n"
                                 "s3_bucket = \"b\"\ns3_prefix = \"p/\"\n"
                                 "[traces]\nstore = \"clickhouse\"\n"
                                 "clickhouse_url = \"http://ch:8123\"\n"
                                 "clickhouse_database = \"sp\"\nclickhouse_user = \"me\"\n"));
  EXPECT_EQ(cluster.metadataPlace(), "postgresql://db:5432/sp");
  EXPECT_EQ(cluster.filesPlace(), "http://s3:9000/b/p/");
  EXPECT_EQ(cluster.tracesPlace(), "http://ch:8123/sp");
}

TEST_F(SideTest, InvalidSettingsAreReported) {
  EXPECT_THROW(settingsOfSide(file("[storage]\nmetadta = \"x\"\n")), std::runtime_error);
  EXPECT_THROW(settingsOfSide(folder_.path() + "/missing.toml"), std::runtime_error);
}

TEST_F(SideTest, AMissingSourceIsNotCreated) {
  const std::string name = folder_.path() + "/missing";
  EXPECT_THROW(Side(name, settingsOfSide(name), false, metrics_, clock_), std::runtime_error);
}

}  // namespace
}  // namespace spindle::app
