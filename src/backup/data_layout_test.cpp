#include "backup/data_layout.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "backup/metadata_check.h"
#include "columnar/testing/store_for_test.h"
#include "storage/database/database.h"

namespace spindle::backup {
namespace {

namespace fs = std::filesystem;

class DataLayoutTest : public ::testing::Test {
 protected:
  std::string at(const std::string& name) const { return folder_.path() + "/" + name; }
  void write(const std::string& name, const std::string& content) const {
    fs::create_directories(fs::path(at(name)).parent_path());
    std::ofstream(at(name), std::ios::binary) << content;
  }
  std::string refusal() const {
    try {
      requireIntactMetadata(folder_.path());
    } catch (const std::runtime_error& problem) {
      return problem.what();
    }
    return {};
  }
  void expectRefusal(const std::string& word) const {
    EXPECT_NE(refusal().find(word), std::string::npos) << refusal();
    EXPECT_NE(refusal().find("metadata.sqlite"), std::string::npos) << refusal();
    EXPECT_NE(refusal().find("spindle restore"), std::string::npos) << refusal();
  }
  void makeDatabase() const {
    storage::DatabaseOptions options;
    options.path = at("metadata.sqlite");
    MetricRegistry metrics;
    const std::unique_ptr<storage::Database> database = storage::Database::open(options, metrics);
    database->migrate({{"area", {{1, "t", "CREATE TABLE t (id BIGINT PRIMARY KEY);"}}}},
                      Timestamp());
  }

  columnar::FolderForTest folder_;
};

TEST_F(DataLayoutTest, AcceptsANewFolder) {
  EXPECT_EQ(refusal(), "");
  write("secret-key", "x");
  write("metadata.sqlite", "");
  EXPECT_EQ(refusal(), "");
}

TEST_F(DataLayoutTest, MetadataMustBeBesideOtherData) {
  for (const char* other : {"traces/journal-1.log", "files/ab/cd", "metadata.sqlite-wal"}) {
    write(other, "x");
    expectRefusal("is missing");
    write("metadata.sqlite", "");
    expectRefusal("is empty");
    fs::remove(at("metadata.sqlite"));
    fs::create_directory(at("metadata.sqlite"));
    expectRefusal("is not a file");
    fs::remove_all(at(""));
    fs::create_directory(at(""));
  }
}

TEST_F(DataLayoutTest, RefusesADatabaseWithoutTables) {
  {
    storage::DatabaseOptions options;
    options.path = at("metadata.sqlite");
    MetricRegistry metrics;
    storage::Database::open(options, metrics);
  }
  EXPECT_EQ(refusal(), "");
  // What remains of a first start that was interrupted before its first commit.
  write("metadata.sqlite-wal", "x");
  EXPECT_EQ(refusal(), "");
  write("files/ab/cd", "x");
  expectRefusal("has no tables");
}

TEST_F(DataLayoutTest, DamagedMetadataIsRefused) {
  makeDatabase();
  EXPECT_EQ(refusal(), "");
  const auto size = fs::file_size(at("metadata.sqlite"));
  fs::resize_file(at("metadata.sqlite"), size / 2);
  expectRefusal("");
  write("metadata.sqlite",
        "no database at all, but some text that is long enough for a header....");
  expectRefusal("");
}

TEST_F(DataLayoutTest, TheSecretKeyMustBeBesideMetadata) {
  EXPECT_NO_THROW(requireSecretKey(folder_.path()));
  makeDatabase();
  EXPECT_THROW(requireSecretKey(folder_.path()), std::runtime_error);
  write("secret-key", "x");
  EXPECT_NO_THROW(requireSecretKey(folder_.path()));
}

TEST_F(DataLayoutTest, EverythingButTransientEntriesIsSetAside) {
  EXPECT_EQ(setAside(folder_.path(), Timestamp()), "");
  write("lock", "1");
  write("traces/journal-1.log", "x");
  write("secret-key", "y");
  const std::string name = setAside(folder_.path(), Timestamp());
  EXPECT_TRUE(fs::exists(at(name + "/traces/journal-1.log")));
  EXPECT_TRUE(fs::exists(at(name + "/secret-key")));
  EXPECT_TRUE(fs::exists(at("lock")));
  EXPECT_FALSE(fs::exists(at("traces")));
  EXPECT_EQ(refusal(), "");
  // Data that was set aside is ignored.
  EXPECT_EQ(otherFiles(folder_.path()), std::vector<std::string>());
}

TEST_F(DataLayoutTest, UnknownFilesAreBackedUp) {
  write("usage/journal", "x");
  write("note", "y");
  write("lock", "z");
  write("run/engine-1.sock", "z");
  write("admin-api-key", "k");
  EXPECT_EQ(otherFiles(folder_.path()), (std::vector<std::string>{"note", "usage/journal"}));
}

}  // namespace
}  // namespace spindle::backup
