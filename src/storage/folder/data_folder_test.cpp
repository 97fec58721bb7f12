#include "storage/folder/data_folder.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "storage/folder/key_ring.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::storage {
namespace {

mode_t modeOf(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 0777U : 0;
}

class DataFolderTest : public ::testing::Test {
 protected:
  FolderForTest temporary_;
  std::string path_ = temporary_.path() + "/new/data";
};

TEST_F(DataFolderTest, CreatesAFolderForItsOwnerAlone) {
  const DataFolder folder(path_);
  EXPECT_EQ(modeOf(path_), 0700U);
  EXPECT_NO_THROW(DataFolder(path_ + "/"));
}

TEST_F(DataFolderTest, RefusesAFileInPlaceOfTheFolder) {
  const std::string file = temporary_.path() + "/file";
  std::ofstream(file) << "x";
  EXPECT_THROW(DataFolder{file}, std::runtime_error);
}

TEST_F(DataFolderTest, CreatesAFileOnceAndPrivately) {
  const DataFolder folder(path_);
  EXPECT_EQ(folder.read("key"), std::nullopt);
  EXPECT_TRUE(folder.create("key", "first"));
  EXPECT_FALSE(folder.create("key", "second"));
  EXPECT_EQ(folder.read("key"), "first");
  EXPECT_EQ(modeOf(path_ + "/key"), 0600U);
  folder.replace("key", "third");
  EXPECT_EQ(folder.read("key"), "third");
  EXPECT_EQ(modeOf(path_ + "/key"), 0600U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path_), {}), 1);
}

TEST_F(DataFolderTest, RejectsASecondServerAndNamesTheFirst) {
  const DataFolder folder(path_);
  {
    DataFolderLock lock(folder);
    lock.announce("http://127.0.0.1:8080");
    try {
      const DataFolderLock second(folder);
      FAIL() << "the folder was locked twice";
    } catch (const std::runtime_error& problem) {
      const std::string why = problem.what();
      EXPECT_NE(why.find("process " + std::to_string(::getpid())), std::string::npos) << why;
      EXPECT_NE(why.find("http://127.0.0.1:8080"), std::string::npos) << why;
    }
    const std::optional<FolderHolder> holder = DataFolderLock::holder(folder);
    ASSERT_TRUE(holder);
    EXPECT_EQ(holder->pid, ::getpid());
    EXPECT_EQ(holder->url, "http://127.0.0.1:8080");
  }
  EXPECT_FALSE(DataFolderLock::holder(folder));
  EXPECT_NO_THROW(DataFolderLock{folder});
}

TEST_F(DataFolderTest, IsUnlockedWhenItsServerWasKilled) {
  const DataFolder folder(path_);
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const DataFolderLock lock(folder);
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char signal = 0;
  ASSERT_EQ(::read(ready[0], &signal, 1), 1);
  EXPECT_THROW(DataFolderLock{folder}, std::runtime_error);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(DataFolderLock{folder});
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(DataFolderTest, CreatesTheSecretKeyOnce) {
  const DataFolder folder(path_);
  const Sha256 first = KeyRing::load(folder, Secret()).derive("api-keys");
  EXPECT_EQ(modeOf(path_ + "/secret-key"), 0600U);
  EXPECT_EQ(KeyRing::load(folder, Secret()).derive("api-keys"), first);
  EXPECT_NE(KeyRing::load(folder, Secret()).derive("secrets"), first);
}

TEST_F(DataFolderTest, PrefersAGivenSecretKeyToTheFile) {
  const DataFolder folder(path_);
  const std::string hex(64, 'a');
  const KeyRing given = KeyRing::load(folder, Secret(hex));
  EXPECT_FALSE(folder.read("secret-key"));
  Sha256 master{};
  master.fill(0xAA);
  EXPECT_EQ(given.derive("x"), KeyRing(master).derive("x"));
  EXPECT_NO_THROW(KeyRing::load(folder, Secret("a passphrase of more than 32 characters")));
  EXPECT_THROW(KeyRing::load(folder, Secret("short")), std::runtime_error);
}

TEST_F(DataFolderTest, RefusesADamagedSecretKey) {
  const DataFolder folder(path_);
  folder.create("secret-key", "not a key\n");
  EXPECT_THROW(KeyRing::load(folder, Secret()), std::runtime_error);
}

}  // namespace
}  // namespace spindle::storage
