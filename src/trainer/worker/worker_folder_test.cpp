#include "trainer/worker/worker_folder.h"

#include <fstream>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/core/folder_for_test.h"

namespace spindle::trainer {
namespace {

class WorkerFolders : public ::testing::Test {
 protected:
  FolderForTest root_;
  const std::string path_ = root_.path() + "/spindle-trainer";
};

TEST_F(WorkerFolders, AreExclusive) {
  std::optional<Result<WorkerFolder>> first = WorkerFolder::take(path_);
  ASSERT_TRUE(*first) << first->error().message();
  const Result<WorkerFolder> second = WorkerFolder::take(path_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::kConflict);
  EXPECT_EQ(second.error().message(),
            "the folder " + path_ + " is in use by another trainer (process " +
                std::to_string(::getpid()) + "): give each its own with --folder");
  first.reset();
  EXPECT_TRUE(WorkerFolder::take(path_));
}

TEST_F(WorkerFolders, StoreAUniqueWorkerName) {
  std::string name;
  std::string other;
  {
    const Result<WorkerFolder> folder = WorkerFolder::take(path_);
    ASSERT_TRUE(folder);
    name = folder->workerName();
    const Result<WorkerFolder> beside = WorkerFolder::take(path_ + "x");
    ASSERT_TRUE(beside);
    other = beside->workerName();
  }
  char host[256] = {};
  ASSERT_EQ(::gethostname(host, sizeof(host) - 1), 0);
  EXPECT_TRUE(name.starts_with(std::string(host) + "-")) << name;
  EXPECT_NE(name, other);
  EXPECT_EQ(WorkerFolder::take(path_)->workerName(), name);
  std::ofstream(path_ + "/worker-id") << "half";
  const std::string anew = WorkerFolder::take(path_)->workerName();
  EXPECT_NE(anew, name) << "what stands there is no id";
  EXPECT_EQ(WorkerFolder::take(path_)->workerName(), anew);
}

TEST_F(WorkerFolders, NextFreeOneIsUsed) {
  std::optional<Result<WorkerFolder>> first = WorkerFolder::takeFirstFree(path_);
  const Result<WorkerFolder> second = WorkerFolder::takeFirstFree(path_);
  const Result<WorkerFolder> third = WorkerFolder::takeFirstFree(path_);
  ASSERT_TRUE(*first && second && third);
  EXPECT_EQ((*first)->path(), path_);
  EXPECT_EQ(second->path(), path_ + "-2");
  EXPECT_EQ(third->path(), path_ + "-3");
  EXPECT_NE(second->workerName(), third->workerName());
  first.reset();
  EXPECT_EQ(WorkerFolder::takeFirstFree(path_)->path(), path_);
}

TEST_F(WorkerFolders, ReportUnusableFolders) {
  std::ofstream(path_) << "a file";
  for (const auto take : {WorkerFolder::take, WorkerFolder::takeFirstFree}) {
    const Result<WorkerFolder> folder = take(path_);
    ASSERT_FALSE(folder);
    EXPECT_EQ(folder.error().code(), ErrorCode::kUnavailable);
    EXPECT_TRUE(folder.error().message().starts_with("the folder " + path_ + " cannot be used ("));
    EXPECT_TRUE(folder.error().message().ends_with("): choose another one with --folder"));
  }
}

}  // namespace
}  // namespace spindle::trainer
