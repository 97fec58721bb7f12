#include "storage/blobs/folder_blob_store.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "storage/blobs/blob_store_contract_for_test.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::storage {
namespace {

std::string fileOf(const std::string& folder, const Sha256& name) {
  const std::string digits = toHex(name);
  return folder + "/" + digits.substr(0, 2) + "/" + digits.substr(2);
}

class FolderForContract final : public BlobStoreForContract {
 public:
  explicit FolderForContract(Engine engine) : database_(engine) {
    database_->migrate({contractSchema()}, SystemClock().now());
  }

  BlobStore& store() override { return store_; }
  Database& database() override { return *database_; }
  void overwrite(const Sha256& name, const std::string& bytes) override {
    std::ofstream(fileOf(path_, name), std::ios::binary) << bytes;
  }
  void makeOld(const Sha256& name, std::chrono::hours age) override {
    std::filesystem::last_write_time(fileOf(path_, name),
                                     std::filesystem::file_time_type::clock::now() - age);
  }

 private:
  FolderForTest folder_;
  const std::string path_ = folder_.path() + "/files";
  FolderBlobStore store_{path_};
  DatabaseForTest database_;
};

std::function<std::unique_ptr<BlobStoreForContract>()> folderWith(Engine engine) {
  return [engine] { return std::make_unique<FolderForContract>(engine); };
}

INSTANTIATE_TEST_SUITE_P(Folder,
                         BlobStoreContract,
                         ::testing::Values(folderWith(Engine::kSqlite),
                                           folderWith(Engine::kPostgres)),
                         [](const auto& opened) {
                           return nameOfEngine(opened.index == 0 ? Engine::kSqlite
                                                                 : Engine::kPostgres);
                         });

class FolderBlobs : public ::testing::Test {
 protected:
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_)) {
      if (entry.is_regular_file()) ++count;
    }
    return count;
  }

  FolderForTest folder_;
  std::string path_ = folder_.path() + "/files";
  FolderBlobStore store_{path_};
};

TEST_F(FolderBlobs, StoreEqualBytesInOneFile) {
  ASSERT_TRUE(store_.put("x"));
  ASSERT_TRUE(store_.put("x"));
  const Sha256 empty = *store_.put("");
  EXPECT_EQ(files(), 2);
  ASSERT_TRUE(store_.erase(empty));
  EXPECT_EQ(files(), 1);
}

TEST_F(FolderBlobs, DeleteTheFileOfAnAbandonedWriter) {
  {
    Result<std::unique_ptr<BlobWriter>> writer = store_.write();
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->append("half"));
    EXPECT_EQ(files(), 1);
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(FolderBlobs, DeleteIncompleteFilesAtStart) {
  std::ofstream(path_ + "/incoming/left") << "half";
  const Sha256 name = *store_.put("whole");
  FolderBlobStore again(path_);
  EXPECT_EQ(files(), 1);
  EXPECT_TRUE(again.open(name));
}

TEST_F(FolderBlobs, ArePrivateToTheirUser) {
  ASSERT_TRUE(store_.put("secret"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path_)) {
    struct stat status {};
    ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & (S_IRWXG | S_IRWXO), 0) << entry.path();
  }
}

TEST_F(FolderBlobs, SayWhyTheyCannotStart) {
  std::ofstream(folder_.path() + "/taken") << "a file";
  EXPECT_THROW(FolderBlobStore(folder_.path() + "/taken"), std::runtime_error);
  EXPECT_THROW(FolderBlobStore(folder_.path() + "/no/such"), std::runtime_error);
}

TEST_F(FolderBlobs, FolderInsteadOfAFileFails) {
  const Sha256 name = *store_.put("some content");
  std::filesystem::remove(fileOf(path_, name));
  std::filesystem::create_directory(fileOf(path_, name));
  ASSERT_FALSE(store_.open(name));
  EXPECT_EQ(store_.open(name).error().reason(), "content_damaged");
}

}  // namespace
}  // namespace spindle::storage
