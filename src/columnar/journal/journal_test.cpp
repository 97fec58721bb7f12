#include "columnar/journal/journal.h"

#include <cerrno>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace spindle::columnar {
namespace {

/// The content of a simulated disk and its errors.
struct Disk {
  std::string bytes;
  std::size_t room = 1UL << 30;
  int sync_problem = 0;
  int truncate_problem = 0;
};

class FileOnDisk final : public File {
 public:
  explicit FileOnDisk(Disk& disk) : disk_(disk) {}

  int write(std::uint64_t offset, std::string_view bytes) override {
    const std::size_t fit = offset >= disk_.room ? 0 : std::min(bytes.size(), disk_.room - offset);
    if (disk_.bytes.size() < offset + fit) disk_.bytes.resize(offset + fit);
    disk_.bytes.replace(offset, fit, bytes.substr(0, fit));
    return fit < bytes.size() ? ENOSPC : 0;
  }
  int sync() override { return disk_.sync_problem; }
  int truncate(std::uint64_t size) override {
    if (disk_.truncate_problem == 0) disk_.bytes.resize(size);
    return disk_.truncate_problem;
  }
  std::string read(std::uint64_t offset, std::size_t count) const override {
    return offset >= disk_.bytes.size() ? "" : disk_.bytes.substr(offset, count);
  }
  std::uint64_t size() const override { return disk_.bytes.size(); }
  std::unique_ptr<FileView> view(std::uint64_t offset, std::size_t count) const override {
    return std::make_unique<View>(read(offset, count));
  }

 private:
  class View final : public FileView {
   public:
    explicit View(std::string bytes) : bytes_(std::move(bytes)) {}
    std::string_view bytes() const override { return bytes_; }

   private:
    const std::string bytes_;
  };

  Disk& disk_;
};

std::unique_ptr<File> fileOn(Disk& disk) { return std::make_unique<FileOnDisk>(disk); }

struct Replayed {
  std::vector<std::string> records;
  Journal::End end;
};

Replayed replay(Disk& disk, std::uint64_t generation = 7) {
  Replayed found;
  const Journal journal(
      fileOn(disk), "the journal", generation,
      [&found](std::string_view record, std::uint64_t) { found.records.emplace_back(record); },
      found.end);
  return found;
}

TEST(Journal, ReplaysAppendedRecords) {
  Disk disk;
  Journal journal(fileOn(disk), 7);
  EXPECT_TRUE(journal.isEmpty());
  const std::uint64_t one = *journal.append("one");
  const std::uint64_t two = *journal.append(std::string(100'000, '2'));
  EXPECT_EQ(journal.read(one, 3), "one");
  EXPECT_EQ(journal.read(two + 5, 2), "22");
  const Replayed found = replay(disk);
  EXPECT_EQ(found.records, (std::vector<std::string>{"one", std::string(100'000, '2')}));
  EXPECT_EQ(found.end.bytes, disk.bytes.size());
  EXPECT_FALSE(found.end.torn);
}

TEST(Journal, EndsBeforeATornRecord) {
  Disk disk;
  Journal journal(fileOn(disk), 7);
  ASSERT_TRUE(journal.append("one"));
  const std::size_t whole = disk.bytes.size();
  ASSERT_TRUE(journal.append("two, and a little more"));
  const std::string all = disk.bytes;
  for (std::size_t cut = whole; cut < all.size(); ++cut) {
    disk.bytes = all.substr(0, cut);
    Replayed found = replay(disk);
    EXPECT_EQ(found.records, std::vector<std::string>{"one"}) << cut;
    EXPECT_EQ(found.end.bytes, whole);
    EXPECT_EQ(found.end.torn, cut > whole);
    // A file system may extend a file without writing all of its bytes.
    disk.bytes.resize(all.size());
    found = replay(disk);
    EXPECT_EQ(found.records, std::vector<std::string>{"one"}) << cut;
    EXPECT_TRUE(found.end.torn);
  }
}

TEST(Journal, ContinuesAfterADamagedRecordAndCountsIt) {
  Disk disk;
  Journal journal(fileOn(disk), 7);
  ASSERT_TRUE(journal.append("one"));
  const std::uint64_t two = *journal.append("two");
  ASSERT_TRUE(journal.append("three"));
  ASSERT_TRUE(journal.append("four"));
  for (std::size_t at = two - 20; at < two + 3; ++at) {
    Disk bad = disk;
    bad.bytes[at] = static_cast<char>(bad.bytes[at] ^ 0x10);
    const Replayed found = replay(bad);
    EXPECT_EQ(found.records, (std::vector<std::string>{"one", "three", "four"})) << at;
    EXPECT_EQ(found.end.lost_bytes, 23U);
    EXPECT_FALSE(found.end.torn);
  }
  EXPECT_EQ(replay(disk).end.lost_bytes, 0U);
}

TEST(Journal, ReadsRecordsAfterADamagedHeader) {
  Disk disk;
  Journal journal(fileOn(disk), 7);
  ASSERT_TRUE(journal.append("one"));
  for (const std::size_t at : {0U, 3U, 12U, 16U, 23U}) {
    Disk bad = disk;
    bad.bytes[at] = static_cast<char>(bad.bytes[at] ^ 0x10);
    const Replayed found = replay(bad);
    EXPECT_EQ(found.records, std::vector<std::string>{"one"}) << at;
    EXPECT_EQ(found.end.lost_bytes, 24U);
  }
}

TEST(Journal, ChecksGenerationAndFormat) {
  Disk disk;
  Journal journal(fileOn(disk), 7);
  EXPECT_EQ(replay(disk, 8).end.lost_bytes, 24U);
  Disk newer = disk;
  newer.bytes[8] = 2;
  EXPECT_THROW(replay(newer), std::runtime_error);
  Disk other;
  other.bytes = "something else altogether, and long";
  const Replayed nothing = replay(other);
  EXPECT_TRUE(nothing.records.empty());
  EXPECT_GT(nothing.end.lost_bytes, 0U);
  Disk empty;
  EXPECT_TRUE(Journal::hasNoRecords(*fileOn(empty)));
  EXPECT_TRUE(Journal::hasNoRecords(*fileOn(disk)));
}

TEST(Journal, TruncatesAFailedRecordAndContinues) {
  Disk disk;
  Journal journal(fileOn(disk), 7);
  ASSERT_TRUE(journal.append("one"));
  disk.room = disk.bytes.size() + 30;
  const Result<std::uint64_t> full = journal.append(std::string(100, 'x'));
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code(), ErrorCode::kStorageFull);
  EXPECT_EQ(replay(disk).records, std::vector<std::string>{"one"});
  disk.sync_problem = EIO;
  const Result<std::uint64_t> broken = journal.append("x");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code(), ErrorCode::kUnavailable);
  disk.sync_problem = 0;
  disk.room = 1000;
  ASSERT_TRUE(journal.append("two"));
  EXPECT_EQ(replay(disk).records, (std::vector<std::string>{"one", "two"}));
}

TEST(Journal, RefusesRecordsUntilAFailedRecordIsTruncated) {
  Disk disk;
  Journal journal(fileOn(disk), 7);
  disk.sync_problem = EIO;
  disk.truncate_problem = EIO;
  EXPECT_FALSE(journal.append("lost"));
  disk.sync_problem = 0;
  EXPECT_FALSE(journal.append("refused"));
  disk.truncate_problem = 0;
  ASSERT_TRUE(journal.append("taken"));
  EXPECT_EQ(replay(disk).records, std::vector<std::string>{"taken"});
}

}  // namespace
}  // namespace spindle::columnar
