#include "inference/usage/usage_journal.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "columnar/journal/file.h"
#include "columnar/testing/store_for_test.h"
#include "inference/usage/usage_codec.h"

namespace spindle::inference {
namespace {

namespace fs = std::filesystem;

/// A real file whose writes and syncs fail on request.
class FailingFile final : public columnar::File {
 public:
  FailingFile(std::unique_ptr<columnar::File> file, const int& problem)
      : file_(std::move(file)), problem_(problem) {}

  int write(std::uint64_t offset, std::string_view bytes) override {
    // A part of it is written before the disk fails.
    const std::size_t count = problem_ != 0 ? bytes.size() / 2 : bytes.size();
    const int written = file_->write(offset, bytes.substr(0, count));
    return problem_ != 0 ? problem_ : written;
  }
  int sync() override { return problem_ != 0 ? problem_ : file_->sync(); }
  int truncate(std::uint64_t size) override { return file_->truncate(size); }
  std::string read(std::uint64_t offset, std::size_t count) const override {
    return file_->read(offset, count);
  }
  std::uint64_t size() const override { return file_->size(); }
  std::unique_ptr<columnar::FileView> view(std::uint64_t offset, std::size_t count) const override {
    return file_->view(offset, count);
  }

 private:
  std::unique_ptr<columnar::File> file_;
  const int& problem_;
};

std::string encoded(const std::string& id) {
  UsageRecord record;
  record.id = id;
  record.model = "model";
  std::string bytes;
  encodeUsage(record, bytes);
  return bytes;
}

class UsageJournalTest : public ::testing::Test {
 protected:
  UsageJournal::Options options(std::uint64_t segment_bytes = 64UL * 1024) {
    UsageJournal::Options options;
    options.folder = folder_;
    options.segment_bytes = segment_bytes;
    options.sync = false;  // thousands of groups
    return options;
  }

  static std::vector<std::string> idsOf(UsageJournal& journal) {
    std::vector<std::string> ids;
    for (const UsageJournal::Group& group : journal.recovered()) {
      for (const UsageRecord& record : group.records) ids.push_back(record.id);
    }
    return ids;
  }
  std::vector<std::string> recovered() {
    UsageJournal journal(options());
    return idsOf(journal);
  }

  std::size_t filesThatEndWith(std::string_view end) const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().string().ends_with(end)) ++count;
    }
    return count;
  }
  std::string onlySegment() const {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().extension() == ".log") return entry.path().string();
    }
    return {};
  }
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

  columnar::FolderForTest root_;
  const std::string folder_ = root_.path() + "/journal";
};

TEST_F(UsageJournalTest, RecoversGroupsInOrderUntilTheyAreStored) {
  {
    UsageJournal journal(options());
    EXPECT_TRUE(journal.recovered().empty());
    EXPECT_EQ(journal.append(encoded("a") + encoded("b")).value(), 1U);
    EXPECT_EQ(journal.append(encoded("c")).value(), 2U);
  }
  EXPECT_EQ(recovered(), (std::vector<std::string>{"a", "b", "c"}));
  {
    UsageJournal journal(options());
    const std::vector<UsageJournal::Group> groups = journal.recovered();
    ASSERT_EQ(groups.size(), 2U);
    // New groups follow the old ones.
    EXPECT_EQ(journal.append(encoded("d")).value(), 3U);
    journal.stored(groups.back().number);
  }
  EXPECT_EQ(recovered(), std::vector<std::string>{"d"});
}

TEST_F(UsageJournalTest, RemovesAllFilesWhenEverythingIsStored) {
  {
    UsageJournal journal(options());
    for (int i = 0; i < 2000; ++i) ASSERT_TRUE(journal.append(encoded(std::to_string(i))));
    journal.stored(2000);
  }
  EXPECT_EQ(filesThatEndWith(""), 0U);
}

TEST_F(UsageJournalTest, ReusesStoredSegments) {
  UsageJournal journal(options());
  std::size_t most = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Result<std::uint64_t> group = journal.append(encoded(std::to_string(i)));
    ASSERT_TRUE(group);
    if (i % 100 == 99) journal.stored(*group);
    most = std::max(most, filesThatEndWith(".log"));
  }
  EXPECT_LE(most, 3U);
}

TEST_F(UsageJournalTest, DoesNotRecoverOldGroupsOfAReusedSegment) {
  std::vector<std::string> expected;
  {
    UsageJournal journal(options(8UL * 1024));
    for (int i = 1; i <= 1000; ++i) {
      const std::string id = std::to_string(i);
      ASSERT_TRUE(journal.append(encoded(id)));
      if (i <= 990) journal.stored(static_cast<std::uint64_t>(i));
      if (i > 990) expected.push_back(id);
    }
  }
  EXPECT_EQ(recovered(), expected);
  EXPECT_EQ(filesThatEndWith(".damaged"), 0U);
}

TEST_F(UsageJournalTest, IgnoresAnIncompleteGroup) {
  {
    UsageJournal journal(options());
    ASSERT_TRUE(journal.append(encoded("a")));
    ASSERT_TRUE(journal.append(encoded("b")));
  }
  const std::string path = onlySegment();
  const std::string whole = read(path);
  const std::size_t group = 16 + encoded("b").size();
  for (std::size_t cut = 1; cut <= group; ++cut) {
    std::string torn = whole;
    const std::size_t end = 4096 + 2 * group;
    std::fill(torn.begin() + static_cast<std::ptrdiff_t>(end - cut),
              torn.begin() + static_cast<std::ptrdiff_t>(end), '\0');
    if (torn == whole) continue;  // the last bytes are zeros
    write(path, torn);
    EXPECT_EQ(recovered(), std::vector<std::string>{"a"}) << cut;
  }
  EXPECT_EQ(filesThatEndWith(".damaged"), 0U);
}

TEST_F(UsageJournalTest, KeepsACopyOfADamagedSegmentAndRecoversTheRest) {
  {
    UsageJournal journal(options());
    for (const char* id : {"a", "b", "c", "d"}) ASSERT_TRUE(journal.append(encoded(id)));
  }
  const std::string path = onlySegment();
  std::string bytes = read(path);
  const std::size_t group = 16 + encoded("b").size();
  bytes[4096 + group + 20] ^= 1;  // in the second group
  write(path, bytes);
  {
    UsageJournal journal(options());
    EXPECT_EQ(idsOf(journal), (std::vector<std::string>{"a", "c", "d"}));
    journal.stored(4);
  }
  EXPECT_EQ(filesThatEndWith(".log"), 0U);
  EXPECT_EQ(filesThatEndWith(".damaged"), 1U);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    EXPECT_EQ(read(entry.path().string()), bytes);
  }
}

TEST_F(UsageJournalTest, KeepsACopyOfAFileWithAnInvalidHeader) {
  {
    UsageJournal journal(options());
    ASSERT_TRUE(journal.append(encoded("a")));
  }
  const std::string path = onlySegment();
  std::string bytes = read(path);
  bytes[3] ^= 1;
  write(path, bytes);
  EXPECT_TRUE(recovered().empty());
  EXPECT_EQ(filesThatEndWith(".damaged"), 1U);
}

TEST_F(UsageJournalTest, StartsWithUnknownFiles) {
  fs::create_directories(folder_);
  write(folder_ + "/usage-1.log", "");
  write(folder_ + "/usage-2.log", "short");
  write(folder_ + "/usage-3.log", std::string(10'000, '\0'));
  write(folder_ + "/usage-4.log", std::string(10'000, 'x'));
  write(folder_ + "/notes.txt", "not ours");
  UsageJournal journal(options());
  EXPECT_TRUE(journal.recovered().empty());
  EXPECT_TRUE(journal.append(encoded("a")));
  EXPECT_EQ(filesThatEndWith("notes.txt"), 1U);
}

TEST_F(UsageJournalTest, ContinuesAfterADiskFailure) {
  int problem = 0;
  UsageJournal::Options failing = options();
  failing.sync = true;
  failing.create = [&problem](const std::string& path) {
    return std::make_unique<FailingFile>(columnar::createFile(path), problem);
  };
  {
    UsageJournal journal(failing);
    ASSERT_TRUE(journal.append(encoded("a")));
    problem = ENOSPC;
    const Result<std::uint64_t> full = journal.append(encoded("lost"));
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().code(), ErrorCode::kStorageFull);
    problem = EIO;
    EXPECT_EQ(journal.append(encoded("lost")).error().code(), ErrorCode::kUnavailable);
    problem = 0;
    EXPECT_EQ(journal.append(encoded("b")).value(), 2U);
  }
  EXPECT_EQ(recovered(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(filesThatEndWith(".damaged"), 0U);
}

TEST_F(UsageJournalTest, ReportsThatASegmentCannotBeCreated) {
  int problem = ENOSPC;
  UsageJournal::Options failing = options();
  failing.sync = true;
  failing.create = [&problem](const std::string& path) {
    return std::make_unique<FailingFile>(columnar::createFile(path), problem);
  };
  UsageJournal journal(failing);
  EXPECT_EQ(journal.append(encoded("a")).error().code(), ErrorCode::kStorageFull);
  problem = 0;
  EXPECT_TRUE(journal.append(encoded("a")));
}

}  // namespace
}  // namespace spindle::inference
