#include "s3/blobs/blob_cache.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/core/folder_for_test.h"

namespace spindle::s3 {
namespace {

class BlobCacheTest : public ::testing::Test {
 protected:
  static std::string read(BlobCache& cache, const std::string& content) {
    const std::optional<LocalFile> file = cache.open(sha256(content));
    return file ? *file->read(0, 1000) : "nothing";
  }
  std::string fileOf(const std::string& content) const {
    const std::string digits = toHex(sha256(content));
    return path_ + "/" + digits.substr(0, 2) + "/" + digits.substr(2);
  }
  static void add(BlobCache& cache, const std::string& content) {
    cache.add(sha256(content), content);
  }

  FolderForTest folder_;
  const std::string path_ = folder_.path() + "/cache";
};

TEST_F(BlobCacheTest, ReturnsCopies) {
  BlobCache cache(path_, 100);
  EXPECT_EQ(read(cache, "a"), "nothing");
  add(cache, "a");
  add(cache, "a");
  EXPECT_EQ(read(cache, "a"), "a");
  cache.remove(sha256("a"));
  EXPECT_EQ(read(cache, "a"), "nothing");
  EXPECT_FALSE(std::filesystem::exists(fileOf("a")));
}

TEST_F(BlobCacheTest, RemovesTheLeastRecentlyOpened) {
  BlobCache cache(path_, 10);
  add(cache, "aaaa");
  add(cache, "bbbb");
  EXPECT_EQ(read(cache, "aaaa"), "aaaa");
  add(cache, "cccc");
  EXPECT_EQ(read(cache, "aaaa"), "aaaa");
  EXPECT_EQ(read(cache, "bbbb"), "nothing");
  EXPECT_EQ(read(cache, "cccc"), "cccc");
  add(cache, "too large for it");
  EXPECT_EQ(read(cache, "too large for it"), "nothing");
  EXPECT_EQ(read(cache, "cccc"), "cccc");
}

TEST_F(BlobCacheTest, CountsRunningWriters) {
  BlobCache cache(path_, 10);
  const std::unique_ptr<BlobCache::Writer> writer = cache.write(8);
  ASSERT_TRUE(writer);
  EXPECT_EQ(cache.write(3), nullptr);
  ASSERT_TRUE(writer->append("12345678"));
  writer->publish(sha256("12345678"));
  EXPECT_NE(cache.write(3), nullptr);
}

TEST_F(BlobCacheTest, KeepsCopiesAcrossStartsWithinItsLimit) {
  {
    BlobCache cache(path_, 100);
    add(cache, "kept");
    add(cache, "damaged");
  }
  std::ofstream(fileOf("damaged"), std::ios::binary) << "damagex";
  std::ofstream(path_ + "/incoming/left") << "x";
  BlobCache cache(path_, 100);
  EXPECT_EQ(read(cache, "kept"), "kept");
  EXPECT_EQ(read(cache, "damaged"), "nothing");
  EXPECT_FALSE(std::filesystem::exists(path_ + "/incoming/left"));
  BlobCache smaller(path_, 3);
  EXPECT_EQ(read(smaller, "kept"), "nothing");
}

TEST_F(BlobCacheTest, DetectsChangedFiles) {
  BlobCache cache(path_, 100);
  add(cache, "content");
  std::ofstream(fileOf("content"), std::ios::binary) << "c0ntent";
  EXPECT_EQ(read(cache, "content"), "nothing");
}

TEST_F(BlobCacheTest, TakesUploadedFiles) {
  BlobCache cache(path_, 10);
  for (const std::string content : {"fits", "is larger than that"}) {
    const std::string path = cache.newUploadPath();
    std::ofstream(path) << content;
    cache.take(path, sha256(content), content.size());
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  EXPECT_EQ(read(cache, "fits"), "fits");
}

TEST_F(BlobCacheTest, IsPrivateToItsUser) {
  BlobCache cache(path_, 100);
  add(cache, "secret");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
    struct stat status {};
    ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & (S_IRWXG | S_IRWXO), 0) << entry.path();
  }
}

TEST_F(BlobCacheTest, SaysWhyItCannotStart) {
  EXPECT_THROW(BlobCache(folder_.path() + "/no/such", 1), std::runtime_error);
}

}  // namespace
}  // namespace spindle::s3
