#include "storage/folder_blob_store.h"

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "storage/postgres_for_test.h"

namespace spindle::storage {
namespace {

class BlobStoreContract : public ::testing::Test {
 protected:
  std::string contentOf(const Sha256& name) {
    const Result<std::unique_ptr<BlobReader>> reader = store_.open(name);
    EXPECT_TRUE(reader);
    if (!reader) return {};
    Result<std::string> bytes = (*reader)->read(0, (*reader)->size());
    EXPECT_TRUE(bytes);
    return bytes ? *std::move(bytes) : std::string();
  }
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

TEST_F(BlobStoreContract, GivesBackWhatWasPut) {
  const std::string bytes("\0hello\xff\n", 8);
  const Result<Sha256> name = store_.put(bytes);
  ASSERT_TRUE(name);
  EXPECT_EQ(*name, sha256(bytes));
  EXPECT_EQ(contentOf(*name), bytes);
  EXPECT_EQ(*store_.size(*name), bytes.size());
}

TEST_F(BlobStoreContract, KeepsTheSameBytesOnce) {
  ASSERT_TRUE(store_.put("x"));
  ASSERT_TRUE(store_.put("x"));
  ASSERT_TRUE(store_.put(""));
  EXPECT_EQ(files(), 2);
}

TEST_F(BlobStoreContract, DoesNotKnowWhatWasNeverPut) {
  const Sha256 name = sha256("nothing");
  EXPECT_EQ(store_.open(name).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(store_.size(name).error().code(), ErrorCode::kNotFound);
  EXPECT_TRUE(store_.erase(name));
}

TEST_F(BlobStoreContract, ForgetsWhatIsErased) {
  const Sha256 name = *store_.put("x");
  const Result<std::unique_ptr<BlobReader>> open_before = store_.open(name);
  ASSERT_TRUE(store_.erase(name));
  EXPECT_FALSE(store_.open(name));
  EXPECT_EQ(*(*open_before)->read(0, 10), "x");
  EXPECT_EQ(files(), 0);
}

TEST_F(BlobStoreContract, TakesAndGivesLargeContentInPieces) {
  const std::string piece(100'000, 'p');
  Sha256Stream hash;
  Result<std::unique_ptr<BlobWriter>> writer = store_.write();
  ASSERT_TRUE(writer);
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE((*writer)->append(piece));
    hash.add(piece);
  }
  const Result<Sha256> name = (*writer)->finish();
  ASSERT_TRUE(name);
  EXPECT_EQ(*name, hash.finish());
  const Result<std::unique_ptr<BlobReader>> reader = store_.open(*name);
  ASSERT_TRUE(reader);
  EXPECT_EQ((*reader)->size(), 3'000'000);
  EXPECT_EQ(*(*reader)->read(2'999'990, 100), std::string(10, 'p'));
  EXPECT_EQ(*(*reader)->read(3'000'000, 100), "");
  EXPECT_EQ(*(*reader)->read(9'000'000, 100), "");
}

TEST_F(BlobStoreContract, LeavesNothingOfAWriterThatWasGivenUp) {
  {
    Result<std::unique_ptr<BlobWriter>> writer = store_.write();
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->append("half"));
    EXPECT_EQ(files(), 1);
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(BlobStoreContract, ClearsWhatAStopLeftHalfWritten) {
  std::ofstream(path_ + "/incoming/left") << "half";
  const Sha256 name = *store_.put("whole");
  FolderBlobStore again(path_);
  EXPECT_EQ(files(), 1);
  EXPECT_TRUE(again.open(name));
}

TEST_F(BlobStoreContract, IsPrivateToItsUser) {
  ASSERT_TRUE(store_.put("secret"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path_)) {
    struct stat status {};
    ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & (S_IRWXG | S_IRWXO), 0) << entry.path();
  }
}

TEST_F(BlobStoreContract, TakesTheSameContentFromManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this] {
      for (int i = 0; i < 10; ++i) EXPECT_TRUE(store_.put("content " + std::to_string(i)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(files(), 10);
  EXPECT_EQ(contentOf(sha256("content 7")), "content 7");
}

TEST(FolderBlobStore, SaysWhyItCannotStart) {
  const FolderForTest folder;
  std::ofstream(folder.path() + "/taken") << "a file";
  EXPECT_THROW(FolderBlobStore(folder.path() + "/taken"), std::runtime_error);
  EXPECT_THROW(FolderBlobStore(folder.path() + "/no/such"), std::runtime_error);
}

}  // namespace
}  // namespace spindle::storage
