#include "app/migrate/side.h"

#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "base/core/folder_for_test.h"

namespace spindle::app {
namespace {

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
                                 "s3_bucket = \"b\"\ns3_prefix = \"p/\"\n"));
  EXPECT_EQ(cluster.metadataPlace(), "postgresql://db:5432/sp");
  EXPECT_EQ(cluster.filesPlace(), "http://s3:9000/b/p/");
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
