#include "storage/blobs/folder_blob_store.h"

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "storage/blobs/blob_name.h"
#include "storage/blobs/referenced_blob.h"
#include "storage/testing/postgres_for_test.h"

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

TEST_F(BlobStoreContract, ReadsStoredBytes) {
  const std::string bytes("\0hello\xff\n", 8);
  const Result<Sha256> name = store_.put(bytes);
  ASSERT_TRUE(name);
  EXPECT_EQ(*name, sha256(bytes));
  EXPECT_EQ(contentOf(*name), bytes);
  EXPECT_EQ(*store_.size(*name), bytes.size());
}

TEST_F(BlobStoreContract, StoresEqualBytesOnce) {
  ASSERT_TRUE(store_.put("x"));
  ASSERT_TRUE(store_.put("x"));
  ASSERT_TRUE(store_.put(""));
  EXPECT_EQ(files(), 2);
}

TEST_F(BlobStoreContract, ReportsUnknownBlobsAsNotFound) {
  const Sha256 name = sha256("nothing");
  EXPECT_EQ(store_.open(name).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(store_.size(name).error().code(), ErrorCode::kNotFound);
  EXPECT_TRUE(store_.erase(name));
}

TEST_F(BlobStoreContract, ErasesBlobs) {
  const Sha256 name = *store_.put("x");
  const Result<std::unique_ptr<BlobReader>> open_before = store_.open(name);
  ASSERT_TRUE(store_.erase(name));
  EXPECT_FALSE(store_.open(name));
  EXPECT_EQ(*(*open_before)->read(0, 10), "x");
  EXPECT_EQ(files(), 0);
}

TEST_F(BlobStoreContract, WritesAndReadsLargeContentInChunks) {
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

TEST_F(BlobStoreContract, DeletesTheFileOfAnAbandonedWriter) {
  {
    Result<std::unique_ptr<BlobWriter>> writer = store_.write();
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->append("half"));
    EXPECT_EQ(files(), 1);
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(BlobStoreContract, DeletesIncompleteFilesAtStart) {
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

TEST_F(BlobStoreContract, StoresTheSameContentFromManyThreads) {
  std::vector<std::thread> threads;
  threads.reserve(4);
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

class DamagedBlob : public BlobStoreContract {
 protected:
  std::string fileOf(const Sha256& name) const {
    const std::string digits = toHex(name);
    return path_ + "/" + digits.substr(0, 2) + "/" + digits.substr(2);
  }
  /// Changes one byte in place.
  void flip(const Sha256& name, std::streamoff at) const {
    std::fstream file(fileOf(name), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file.put('\x01');
  }
  Sha256 large() {
    Result<std::unique_ptr<BlobWriter>> writer = store_.write();
    for (int i = 0; i < 12; ++i) {
      EXPECT_TRUE((*writer)->append(std::string(1UL << 20, static_cast<char>('a' + i))));
    }
    return *(*writer)->finish();
  }
  static constexpr std::uint64_t kLargeSize = 12UL << 20;

  static void expectDamaged(const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUpstream);
    EXPECT_EQ(error.reason(), "content_damaged");
  }
  /// Reads in sequence as a response does. @return the bytes that came before the error.
  std::uint64_t readBeforeError(const Sha256& name) {
    const Result<std::unique_ptr<BlobReader>> reader = store_.open(name);
    EXPECT_TRUE(reader);
    std::uint64_t at = 0;
    while (at < (*reader)->size()) {
      const Result<std::string> piece = (*reader)->read(at, 512UL * 1024);
      if (!piece) {
        expectDamaged(piece.error());
        return at;
      }
      at += piece->size();
    }
    return at;
  }
};

TEST_F(DamagedBlob, SmallContentFailsToOpen) {
  const Sha256 name = *store_.put("some content");
  EXPECT_EQ(contentOf(name), "some content");
  flip(name, 3);
  const Result<std::unique_ptr<BlobReader>> reader = store_.open(name);
  ASSERT_FALSE(reader);
  expectDamaged(reader.error());
}

TEST_F(DamagedBlob, TruncatedContentFails) {
  const Sha256 name = *store_.put("some content");
  for (const std::uintmax_t size : {11U, 1U, 0U}) {
    std::filesystem::resize_file(fileOf(name), size);
    ASSERT_FALSE(store_.open(name));
    expectDamaged(store_.open(name).error());
  }
}

TEST_F(DamagedBlob, LargeContentFailsBeforeItsEnd) {
  const Sha256 name = large();
  flip(name, 100);
  EXPECT_LT(readBeforeError(name), kLargeSize);
}

TEST_F(DamagedBlob, RangesOfLargeContentFail) {
  const Sha256 name = large();
  flip(name, 100);
  const Result<std::unique_ptr<BlobReader>> reader = store_.open(name);
  ASSERT_TRUE(reader);
  const Result<std::string> part = (*reader)->read(kLargeSize / 2, 1000);
  ASSERT_FALSE(part);
  expectDamaged(part.error());
  EXPECT_FALSE((*reader)->check());
}

TEST_F(DamagedBlob, UndamagedLargeContentIsReadInAnyOrder) {
  const Sha256 name = large();
  EXPECT_EQ(readBeforeError(name), kLargeSize);
  const Result<std::unique_ptr<BlobReader>> reader = store_.open(name);
  EXPECT_EQ(*(*reader)->read(kLargeSize - 3, 10), "lll");
  EXPECT_EQ(*(*reader)->read(0, 3), "aaa");
  EXPECT_TRUE((*reader)->check());
}

TEST_F(DamagedBlob, IsReplacedWhenItsContentIsPutAgain) {
  const Sha256 name = *store_.put("some content");
  flip(name, 3);
  EXPECT_EQ(*store_.put("some content"), name);
  EXPECT_EQ(contentOf(name), "some content");
}

TEST_F(DamagedBlob, FolderInsteadOfAFileFails) {
  const Sha256 name = *store_.put("some content");
  std::filesystem::remove(fileOf(name));
  std::filesystem::create_directory(fileOf(name));
  ASSERT_FALSE(store_.open(name));
  expectDamaged(store_.open(name).error());
}

TEST_F(DamagedBlob, MissingReferencedBlobIsAnError) {
  const Result<std::unique_ptr<BlobReader>> reader =
      openReferenced(store_, blobNameText(sha256("nothing")));
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code(), ErrorCode::kUpstream);
  EXPECT_EQ(reader.error().reason(), "content_missing");
  EXPECT_EQ(openReferenced(store_, "not a name").error().code(), ErrorCode::kUpstream);
}

}  // namespace
}  // namespace spindle::storage
