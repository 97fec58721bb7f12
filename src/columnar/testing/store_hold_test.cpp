#include "columnar/store/store_hold.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "columnar/store/file_check.h"
#include "columnar/testing/notes_for_test.h"

namespace spindle::columnar {
namespace {

namespace fs = std::filesystem;

/// Small generations, so that the store flushes continuously.
StoreOptions smallGenerations() {
  StoreOptions options;
  options.recent_rows = 100;
  options.recent_bytes = 64UL << 10;
  return options;
}

class StoreHoldTest : public NotesTest {
 protected:
  StoreHoldTest() : NotesTest(smallGenerations()) {}

  std::unique_ptr<StoreHold> hold() {
    Result<std::unique_ptr<StoreHold>> held = store_->hold();
    EXPECT_TRUE(held) << held.error().message();
    return held ? *std::move(held) : nullptr;
  }

  /// Copies exactly the bytes that the hold lists.
  void copy(const std::vector<HeldFile>& files, const std::string& to) const {
    fs::create_directories(to);
    for (const HeldFile& file : files) {
      std::ifstream in(store_.options().folder + "/" + file.name, std::ios::binary);
      std::string bytes(file.bytes, '\0');
      in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      ASSERT_EQ(in.gcount(), static_cast<std::streamsize>(bytes.size())) << file.name;
      std::ofstream(to + "/" + file.name, std::ios::binary) << bytes;
    }
  }

  static Notes notesIn(const std::string& folder) {
    MetricRegistry metrics;
    StoreOptions options;
    options.folder = folder;
    const std::unique_ptr<Store> store = Store::open(options, noteFamilies(), metrics);
    return readNotes(*store, "1");
  }

  std::size_t journals() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(store_.options().folder)) {
      if (entry.path().filename().string().starts_with("journal-")) ++count;
    }
    return count;
  }

  FolderForTest elsewhere_;
};

TEST_F(StoreHoldTest, CopyContainsTheRowsAtTheMark) {
  put("1", note("a", 1, "flushed before"));
  flush();
  put("1", note("b", 2, "recent before"));
  const std::unique_ptr<StoreHold> held = hold();
  ASSERT_NE(held, nullptr);
  put("1", note("c", 3, "before the mark"));
  const Result<std::vector<HeldFile>> files = held->mark();
  ASSERT_TRUE(files) << files.error().message();
  put("1", note("d", 4, "after the mark"));
  flush();
  put("1", note("a", 5, "changed after the mark"));
  flush();
  copy(*files, elsewhere_.path() + "/copy");
  EXPECT_TRUE(held->check());
  EXPECT_EQ(notesIn(elsewhere_.path() + "/copy"),
            (Notes{{"a", "flushed before"}, {"b", "recent before"}, {"c", "before the mark"}}));
}

TEST_F(StoreHoldTest, AllowsOneHoldAtATime) {
  std::unique_ptr<StoreHold> first = hold();
  const Result<std::unique_ptr<StoreHold>> second = store_->hold();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::kConflict);
  first.reset();
  EXPECT_NE(hold(), nullptr);
}

TEST_F(StoreHoldTest, KeptJournalsAreRemovedAfterTheHold) {
  std::unique_ptr<StoreHold> held = hold();
  const std::size_t before = journals();
  for (int i = 0; i < 3; ++i) {
    put("1", note("n" + std::to_string(i), i, "x"));
    flush();
  }
  EXPECT_GE(journals(), before + 3);
  held.reset();
  flush();
  EXPECT_LE(journals(), before + 1);
}

TEST_F(StoreHoldTest, CopiesDuringWritesAreConsistent) {
  std::atomic<int> written{0};
  std::atomic<bool> stop{false};
  std::thread writer([&, this] {
    for (int i = 0; !stop; ++i) {
      // Every third row replaces an older one, so that blocks are freed too.
      const std::string id = "n" + std::to_string(i % 3 == 2 ? i / 2 : i);
      if (!putRows(*store_, "1",
                   {note(id, i, std::string(500, static_cast<char>('a' + i % 26)))})) {
        break;
      }
      written = i + 1;
      written.notify_all();
    }
  });
  const auto await = [&written](int target) {
    for (int now = written; now < target; now = written) written.wait(now);
  };
  for (int round = 0; round < 3; ++round) {
    await(written + 300);
    const std::unique_ptr<StoreHold> held = hold();
    ASSERT_NE(held, nullptr);
    const int before = written;
    const Result<std::vector<HeldFile>> files = held->mark();
    ASSERT_TRUE(files) << files.error().message();
    // Rows that are flushed after mark() and before the copy must not appear in it.
    const int after = written;
    await(after + 300);
    const std::string folder = elsewhere_.path() + "/" + std::to_string(round);
    copy(*files, folder);
    const FilesReport report = checkFiles(folder);
    EXPECT_EQ(report.problems, std::vector<std::string>());
    const Notes notes = notesIn(folder);
    for (int i = 0; i < before; ++i) {
      if (i % 3 == 2) continue;
      ASSERT_TRUE(notes.contains("n" + std::to_string(i))) << i;
    }
    for (int i = after + 2; i < after + 300; ++i) {
      EXPECT_FALSE(notes.contains("n" + std::to_string(i))) << i;
    }
  }
  stop = true;
  writer.join();
}

class CheckFilesTest : public StoreHoldTest {
 protected:
  void SetUp() override {
    for (int i = 0; i < 40; ++i) put("1", note("n" + std::to_string(i), i, std::string(2000, 'x')));
    flush();
    put("1", note("recent", 50, "in a journal"));
    store_.close();
  }
  std::string fileAt(const std::string& name) const { return store_.options().folder + "/" + name; }

  std::string journal() const {
    for (const auto& entry : fs::directory_iterator(store_.options().folder)) {
      std::string name = entry.path().filename().string();
      if (name.starts_with("journal-") && entry.file_size() > 24) return name;
    }
    return {};
  }

  FilesReport check() const { return checkFiles(store_.options().folder); }
};

TEST_F(CheckFilesTest, IntactFilesHaveNoProblems) {
  const FilesReport report = check();
  EXPECT_EQ(report.problems, std::vector<std::string>());
  EXPECT_GE(report.rows, 40);
  EXPECT_EQ(report.journals, 1);
  EXPECT_GE(report.records, 1);
}

TEST_F(CheckFilesTest, ChangesNoFile) {
  const auto before = fs::last_write_time(fileAt("traces.duckdb"));
  const auto journal_size = fs::file_size(fileAt(journal()));
  check();
  EXPECT_EQ(fs::last_write_time(fileAt("traces.duckdb")), before);
  EXPECT_EQ(fs::file_size(fileAt(journal())), journal_size);
}

TEST_F(CheckFilesTest, ReadsRowsInTheDuckDbLog) {
  const std::int64_t before = check().rows;
  store_.reopen();
  {
    const std::unique_ptr<StoreHold> held = hold();
    put("1", note("logged", 60, "not checkpointed"));
    flush();
  }
  store_.close();
  const auto log_size = fs::file_size(fileAt("traces.duckdb.wal"));
  ASSERT_GT(log_size, 0U);
  const FilesReport report = check();
  EXPECT_EQ(report.problems, std::vector<std::string>());
  EXPECT_GT(report.rows, before);
  EXPECT_EQ(fs::file_size(fileAt("traces.duckdb.wal")), log_size);
}

TEST_F(CheckFilesTest, FindsFlippedBytesInTables) {
  // Every block has a checksum; the last block of the file may be unused.
  flipBits(fileAt("traces.duckdb"), 12288 + 100, 0x40);
  EXPECT_FALSE(check().problems.empty());
}

TEST_F(CheckFilesTest, FindsFlippedBytesInJournals) {
  ASSERT_NE(journal(), "");
  flipBits(fileAt(journal()), 10, 0x40);
  EXPECT_FALSE(check().problems.empty());
}

TEST_F(CheckFilesTest, FindsAMissingFile) {
  fs::remove(fileAt("traces.duckdb"));
  ASSERT_EQ(check().problems.size(), 1U);
  EXPECT_NE(check().problems.front().find("traces.duckdb is missing"), std::string::npos);
}

TEST_F(CheckFilesTest, ReportsATornLastRecordAsANote) {
  std::ofstream(fileAt(journal()), std::ios::app | std::ios::binary) << "half a rec";
  const FilesReport report = check();
  EXPECT_EQ(report.problems, std::vector<std::string>());
  EXPECT_EQ(report.notes.size(), 1U);
}

}  // namespace
}  // namespace spindle::columnar
