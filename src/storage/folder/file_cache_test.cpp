#include "storage/folder/file_cache.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <gtest/gtest.h>

#include "base/crypto/crypto.h"

namespace spindle::storage {
namespace {

class Cache : public testing::Test {
 protected:
  ~Cache() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  FileCache::Make writing(const std::string& text) {
    return [this, text](const std::string& path) -> Result<void> {
      ++made_;
      std::ofstream(path) << text;
      return {};
    };
  }
  static std::string contentOf(const CachedFile& file) {
    std::ifstream in(file.path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  bool isThere(const std::string& name) const {
    return std::filesystem::exists(folder_ + "/cache/" + name + ".gguf");
  }

  const std::string folder_ =
      std::filesystem::temp_directory_path().string() + "/spindle-" + randomAlphanumeric(10);
  int made_ = 0;
  FileCache cache_{folder_ + "/cache", ".gguf", 10};
};

TEST_F(Cache, CreatesAFileOnce) {
  const auto first = cache_.get("a", writing("hello"));
  const auto second = cache_.get("a", writing("hello"));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  EXPECT_EQ((*first)->name, "a");
  EXPECT_EQ(contentOf(**first), "hello");
  EXPECT_EQ(made_, 1);
  EXPECT_EQ(cache_.bytes(), 5U);
}

TEST_F(Cache, IsReadableOnlyByItsUser) {
  EXPECT_EQ(std::filesystem::status(folder_ + "/cache").permissions(),
            std::filesystem::perms::owner_all);
}

TEST_F(Cache, RemovesAFileThatWasNotMade) {
  const auto failed = cache_.get("a", [](const std::string& path) -> Result<void> {
    std::ofstream(path) << "half";
    return Error::invalidArgument("no file");
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message(), "no file");
  EXPECT_TRUE(std::filesystem::is_empty(folder_ + "/cache"));
  EXPECT_TRUE(cache_.get("a", writing("whole"))) << "the next call retries";
}

TEST_F(Cache, EvictsTheLeastRecentlyUsed) {
  ASSERT_TRUE(cache_.get("a", writing("12345")));
  ASSERT_TRUE(cache_.get("b", writing("12345")));
  ASSERT_TRUE(cache_.get("a", writing("")));
  ASSERT_TRUE(cache_.get("c", writing("12345")));
  EXPECT_TRUE(isThere("a"));
  EXPECT_FALSE(isThere("b"));
  EXPECT_TRUE(isThere("c"));
  EXPECT_EQ(cache_.bytes(), 10U);
}

TEST_F(Cache, KeepsHeldFiles) {
  const auto held = cache_.get("a", writing("12345"));
  ASSERT_TRUE(cache_.get("b", writing("12345")));
  const auto large = cache_.get("c", writing("1234567890"));
  EXPECT_TRUE(isThere("a"));
  EXPECT_FALSE(isThere("b"));
  EXPECT_TRUE(isThere("c")) << "it is held too";
}

TEST_F(Cache, RecreatesARemovedFile) {
  ASSERT_TRUE(cache_.get("a", writing("hello")));
  std::filesystem::remove(folder_ + "/cache/a.gguf");
  const auto again = cache_.get("a", writing("hello"));
  ASSERT_TRUE(again);
  EXPECT_EQ(contentOf(**again), "hello");
}

TEST_F(Cache, FindsFilesOfAnEarlierServer) {
  ASSERT_TRUE(cache_.get("a", writing("12345")));
  std::ofstream(folder_ + "/cache/making-x") << "half";
  std::filesystem::create_directory(folder_ + "/cache/making-x.peft");
  FileCache later(folder_ + "/cache", ".gguf", 10);
  EXPECT_EQ(later.bytes(), 5U);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/cache/making-x"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/cache/making-x.peft"));
  ASSERT_TRUE(later.get("a", writing("")));
  EXPECT_EQ(made_, 1);
}

TEST_F(Cache, EvictsFilesOfAnEarlierServerAboveTheLimit) {
  ASSERT_TRUE(cache_.get("a", writing("12345")));
  const FileCache later(folder_ + "/cache", ".gguf", 4);
  EXPECT_EQ(later.bytes(), 0U);
  EXPECT_FALSE(isThere("a"));
}

TEST_F(Cache, FindsOnlyWhatIsThere) {
  EXPECT_EQ(cache_.find("a"), nullptr);
  const auto made = cache_.get("a", writing("hello"));
  ASSERT_TRUE(made);
  EXPECT_EQ(cache_.find("a"), *made);
}

TEST_F(Cache, MakesRoomWithFilesThatNobodyHolds) {
  ASSERT_TRUE(cache_.get("a", writing("12345")));
  const auto held = cache_.get("b", writing("12345"));
  EXPECT_TRUE(cache_.makeRoom(5));
  EXPECT_FALSE(isThere("a"));
  EXPECT_TRUE(isThere("b"));
  EXPECT_FALSE(cache_.makeRoom(6)) << "b is held";
  EXPECT_FALSE(cache_.makeRoom(11)) << "more than the limit";
  EXPECT_TRUE(isThere("b"));
}

TEST_F(Cache, CountsWhatAFileWithHolesOccupies) {
  ASSERT_TRUE(cache_.get("a", [](const std::string& path) -> Result<void> {
    std::ofstream(path) << "x";
    std::filesystem::resize_file(path, 1UL << 30);
    return {};
  }));
  EXPECT_LT(cache_.bytes(), 1UL << 20);
}

TEST_F(Cache, CreatesOneFileForConcurrentCallers) {
  std::vector<std::thread> threads;
  threads.reserve(8);
  std::atomic<int> good{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { good += cache_.get("a", writing("hello")).has_value() ? 1 : 0; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 8);
  EXPECT_EQ(made_, 1);
}

}  // namespace
}  // namespace spindle::storage
