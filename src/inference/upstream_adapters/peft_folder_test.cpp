#include "inference/upstream_adapters/peft_folder.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/folder_for_test.h"

namespace spindle::inference {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;

class SharedPeftFolder : public ::testing::Test {
 protected:
  PeftFolder folderOf(std::uint64_t most, std::chrono::seconds least_age = hours(1)) {
    return PeftFolder({.folder = files_.path() + "/peft", .most = most, .least_age = least_age});
  }
  PeftAdapter adapter(const std::string& name, std::size_t bytes = 100) {
    PeftAdapter made;
    made.name = "spindle-" + name;
    made.write = [this, bytes](const std::string& folder) -> Result<void> {
      ++writes_;
      std::ofstream(folder + "/adapter_config.json") << "{}";
      std::ofstream(folder + "/adapter_model.safetensors") << std::string(bytes, 'x');
      return {};
    };
    return made;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(files_.path() + "/peft")) {
      all.push_back(entry.path().filename().string());
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  void age(const std::string& name) const {
    fs::last_write_time(files_.path() + "/peft/" + name,
                        fs::file_time_type::clock::now() - hours(2));
  }

  FolderForTest files_;
  std::atomic<int> writes_ = 0;
};

TEST_F(SharedPeftFolder, WritesAnAdapterOnceForConcurrentCallers) {
  PeftFolder folder = folderOf(1 << 20);
  const PeftAdapter wanted = adapter("a");
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { EXPECT_TRUE(folder.stage(wanted)); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(writes_, 1);
  EXPECT_EQ(names(), std::vector<std::string>{"spindle-a"});
}

TEST_F(SharedPeftFolder, LetsOtherProgramsReadTheFiles) {
  PeftFolder folder = folderOf(1 << 20);
  const auto staged = folder.stage(adapter("a"));
  ASSERT_TRUE(staged);
  const fs::perms readable = fs::perms::group_read | fs::perms::others_read;
  for (const char* file : {"", "/adapter_config.json", "/adapter_model.safetensors"}) {
    EXPECT_EQ(fs::status((*staged)->path + file).permissions() & readable, readable) << file;
  }
}

TEST_F(SharedPeftFolder, ClosesThePrivateFolderToOtherUsers) {
  const std::string path = files_.path() + "/peft";
  const PeftFolder folder({.folder = path, .most = 1 << 20, .is_private = true});
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
}

TEST_F(SharedPeftFolder, LeavesNothingBehindWhenAnAdapterIsRefused) {
  PeftFolder folder = folderOf(1 << 20);
  PeftAdapter bad = adapter("a");
  bad.write = [](const std::string& at) -> Result<void> {
    std::ofstream(at + "/adapter_config.json") << "[]";
    return Error::invalidArgument("no adapter");
  };
  const auto staged = folder.stage(bad);
  ASSERT_FALSE(staged);
  EXPECT_EQ(staged.error().message(), "no adapter");
  EXPECT_TRUE(names().empty());
  EXPECT_TRUE(folder.stage(adapter("a")));
}

TEST_F(SharedPeftFolder, RewritesAnIncompleteAdapter) {
  PeftFolder folder = folderOf(1 << 20);
  ASSERT_TRUE(folder.stage(adapter("a")));
  fs::remove(files_.path() + "/peft/spindle-a/adapter_config.json");
  ASSERT_TRUE(folder.stage(adapter("a")));
  EXPECT_EQ(writes_, 2);
  EXPECT_TRUE(fs::exists(files_.path() + "/peft/spindle-a/adapter_config.json"));
}

TEST_F(SharedPeftFolder, EvictsTheOldestAdaptersThatNobodyHolds) {
  PeftFolder folder = folderOf(250);
  auto held = folder.stage(adapter("a"));
  ASSERT_TRUE(folder.stage(adapter("b")));
  for (const char* name : {"spindle-a", "spindle-b"}) age(name);
  ASSERT_TRUE(folder.stage(adapter("c")));
  EXPECT_EQ(names(), (std::vector<std::string>{"spindle-a", "spindle-c"}));
}

TEST_F(SharedPeftFolder, KeepsAdaptersThatAnotherServerMayUse) {
  PeftFolder folder = folderOf(1);
  ASSERT_TRUE(folder.stage(adapter("a")));
  ASSERT_TRUE(folder.stage(adapter("b")));
  EXPECT_EQ(names().size(), 2U);
}

TEST_F(SharedPeftFolder, RemovesOldUnfinishedFoldersAndNothingElse) {
  const std::string at = files_.path() + "/peft";
  for (const char* name : {"/.spindle-old", "/.spindle-new", "/other"}) {
    fs::create_directories(at + name);
  }
  age(".spindle-old");
  age("other");
  const PeftFolder folder = folderOf(1);
  EXPECT_EQ(names(), (std::vector<std::string>{".spindle-new", "other"}));
}

TEST_F(SharedPeftFolder, RefusesAPathThatIsNoFolder) {
  std::ofstream(files_.path() + "/peft") << "a file";
  EXPECT_THROW(folderOf(1), std::runtime_error);
}

}  // namespace
}  // namespace spindle::inference
