#include <csignal>
#include <filesystem>
#include <string>

#include <sys/resource.h>

#include "columnar/journal/disk_space.h"
#include "columnar/journal/file.h"
#include "columnar/testing/notes_for_test.h"

namespace spindle::columnar {
namespace {

/// Limits the file size of this process, to simulate a full disk.
class FileLimit {
 public:
  explicit FileLimit(std::uintmax_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit lower = before_;
    lower.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &lower);
  }
  ~FileLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
};

class DiskFullTest : public NotesTest {
 protected:
  std::uintmax_t largestFile(const std::string& beginning) const {
    std::uintmax_t largest = 0;
    for (const auto& entry : std::filesystem::directory_iterator(store_.options().folder)) {
      if (entry.path().filename().string().rfind(beginning, 0) != 0) continue;
      largest = std::max(largest, entry.file_size());
    }
    return largest;
  }

  /// Writes notes of 1 KB until one is refused. @return the number of accepted notes.
  int fill(const std::string& prefix, Error& refusal) {
    for (int i = 0; i < 100'000; ++i) {
      const Result<void> done =
          putRows(*store_, "1", {note(prefix + std::to_string(i), i, std::string(1000, 'x'))});
      if (done) continue;
      refusal = done.error();
      return i;
    }
    return -1;
  }

  std::size_t count() { return read("1").size(); }
};

TEST_F(DiskFullTest, RefusesWritesAndStillReadsUntilSpaceIsFree) {
  put("1", note("first", 1, "x"));
  int taken = 0;
  {
    const FileLimit limit(largestFile("journal-") + 50'000);
    Error refusal = Error::internal("none");
    taken = fill("a", refusal);
    EXPECT_EQ(refusal.code(), ErrorCode::kStorageFull) << refusal.message();
    EXPECT_GT(taken, 20);
    EXPECT_EQ(count(), static_cast<std::size_t>(taken) + 1);
    EXPECT_FALSE(putRows(*store_, "1", {note("b", 1, std::string(50'000, 'x'))}));
  }
  put("1", note("last", 1, "x"));
  EXPECT_EQ(count(), static_cast<std::size_t>(taken) + 2);
  store_.reopen();
  EXPECT_EQ(count(), static_cast<std::size_t>(taken) + 2);
}

TEST_F(DiskFullTest, SurvivesAFileThatCannotGrow) {
  std::vector<Row> rows;
  rows.reserve(20'000);
  for (int i = 0; i < 20'000; ++i) {
    rows.push_back(
        note("n" + std::to_string(i), i, std::to_string(i * 7919 % 104729) + "abcdefgh"));
  }
  ASSERT_TRUE(putRows(*store_, "1", std::move(rows)));
  {
    const FileLimit limit(largestFile("traces.duckdb") + 16'384);
    EXPECT_FALSE(store_->flush());
    EXPECT_EQ(count(), 20'000U);
  }
  put("1", note("later", 1, "x"));
  flush();
  EXPECT_EQ(count(), 20'001U);
  store_.reopen();
  EXPECT_EQ(count(), 20'001U);
}

TEST(DiskSpace, DetectsRowsThatDoNotFit) {
  FolderForTest folder;
  const std::string file = folder.path() + "/file";
  createFile(file);
  const DiskSpace space(folder.path(), file);
  const std::uint64_t left = space.left();
  EXPECT_GT(left, 0U);
  EXPECT_FALSE(space.admits(left));
  EXPECT_TRUE(space.isShort(left));
  const std::optional<Error> refused = space.reserve(left);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code(), ErrorCode::kStorageFull);
  EXPECT_EQ(std::filesystem::file_size(file), 0U);
}

}  // namespace
}  // namespace spindle::columnar
