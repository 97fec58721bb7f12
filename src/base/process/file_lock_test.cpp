#include "base/process/file_lock.h"

#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/core/folder_for_test.h"

namespace spindle {
namespace {

class FileLocks : public ::testing::Test {
 protected:
  FolderForTest folder_;
  std::string path_ = folder_.path() + "/lock";
};

TEST_F(FileLocks, HaveOneHolderWithAReadableNote) {
  EXPECT_EQ(FileLock::holderNote(path_), std::nullopt) << "there is no such file";
  {
    const Result<std::unique_ptr<FileLock>> first = FileLock::take(path_);
    ASSERT_TRUE(first && *first);
    ASSERT_TRUE((*first)->note("a long first note"));
    ASSERT_TRUE((*first)->note("me"));
    EXPECT_EQ(FileLock::holderNote(path_), "me");
    const Result<std::unique_ptr<FileLock>> second = FileLock::take(path_);
    ASSERT_TRUE(second);
    EXPECT_EQ(*second, nullptr);
  }
  EXPECT_EQ(FileLock::holderNote(path_), std::nullopt) << "nobody holds it";
  const Result<std::unique_ptr<FileLock>> third = FileLock::take(path_);
  ASSERT_TRUE(third && *third);
  EXPECT_EQ(FileLock::holderNote(path_), "") << "the note of an earlier holder is gone";
}

TEST_F(FileLocks, EndWithTheProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    const Result<std::unique_ptr<FileLock>> lock = FileLock::take(path_);
    if (lock && *lock) (void)(*lock)->note("child");
    ::_exit(lock && *lock ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  const Result<std::unique_ptr<FileLock>> lock = FileLock::take(path_);
  ASSERT_TRUE(lock);
  EXPECT_NE(*lock, nullptr);
}

TEST_F(FileLocks, NameTheFileInErrors) {
  const Result<std::unique_ptr<FileLock>> lock = FileLock::take(folder_.path() + "/none/lock");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().message(), folder_.path() + "/none/lock: No such file or directory");
}

}  // namespace
}  // namespace spindle
