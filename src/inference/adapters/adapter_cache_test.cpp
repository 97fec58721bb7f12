#include "inference/adapters/adapter_cache.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <gtest/gtest.h>

#include "inference/catalogue/model_for_test.h"

namespace spindle::inference {
namespace {

class Cache : public testing::Test {
 protected:
  AdapterCache::Make writing(const std::string& text) {
    return [this, text](const std::string& path) -> Result<void> {
      ++made_;
      std::ofstream(path) << text;
      return {};
    };
  }
  static std::string contentOf(const AdapterFile& file) {
    std::ifstream in(file.path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  bool isThere(const std::string& name) const {
    return std::filesystem::exists(folder_.at("adapters/" + name + ".gguf"));
  }

  TestFolder folder_;
  int made_ = 0;
  AdapterCache cache_{folder_.at("adapters"), 10};
};

TEST_F(Cache, CreatesAnAdapterOnce) {
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
  EXPECT_EQ(std::filesystem::status(folder_.at("adapters")).permissions(),
            std::filesystem::perms::owner_all);
}

TEST_F(Cache, RemovesTheFileOfAFailedAdapter) {
  const auto failed = cache_.get("a", [](const std::string& path) -> Result<void> {
    std::ofstream(path) << "half";
    return Error::invalidArgument("no adapter");
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message(), "no adapter");
  EXPECT_TRUE(std::filesystem::is_empty(folder_.at("adapters")));
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

TEST_F(Cache, KeepsHeldAdapters) {
  const auto held = cache_.get("a", writing("12345"));
  ASSERT_TRUE(cache_.get("b", writing("12345")));
  const auto large = cache_.get("c", writing("1234567890"));
  EXPECT_TRUE(isThere("a"));
  EXPECT_FALSE(isThere("b"));
  EXPECT_TRUE(isThere("c")) << "it is held too";
}

TEST_F(Cache, RecreatesARemovedFile) {
  ASSERT_TRUE(cache_.get("a", writing("hello")));
  std::filesystem::remove(folder_.at("adapters/a.gguf"));
  const auto again = cache_.get("a", writing("hello"));
  ASSERT_TRUE(again);
  EXPECT_EQ(contentOf(**again), "hello");
}

TEST_F(Cache, FindsFilesOfAnEarlierServer) {
  ASSERT_TRUE(cache_.get("a", writing("12345")));
  std::ofstream(folder_.at("adapters/making-x")) << "half";
  std::filesystem::create_directory(folder_.at("adapters/making-x.peft"));
  AdapterCache later(folder_.at("adapters"), 10);
  EXPECT_EQ(later.bytes(), 5U);
  EXPECT_FALSE(std::filesystem::exists(folder_.at("adapters/making-x")));
  EXPECT_FALSE(std::filesystem::exists(folder_.at("adapters/making-x.peft")));
  ASSERT_TRUE(later.get("a", writing("")));
  EXPECT_EQ(made_, 1);
}

TEST_F(Cache, EvictsFilesOfAnEarlierServerAboveTheLimit) {
  ASSERT_TRUE(cache_.get("a", writing("12345")));
  const AdapterCache later(folder_.at("adapters"), 4);
  EXPECT_EQ(later.bytes(), 0U);
  EXPECT_FALSE(isThere("a"));
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
}  // namespace spindle::inference
