#include <csignal>
#include <exception>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "columnar/testing/notes_for_test.h"

namespace spindle::columnar {
namespace {

namespace fs = std::filesystem;

std::string recoveryKey(std::int64_t n) {
  const std::string digits = std::to_string(n);
  return "k" + std::string(8 - digits.size(), '0') + digits;
}

StoreOptions optionsOf(const std::string& folder) {
  StoreOptions options;
  options.folder = folder;
  return options;
}

/// A store in a folder as a crash left it: a copy of another folder, made while its store was open.
class RecoveryTest : public ::testing::Test {
 protected:
  RecoveryTest() : folder_(work_.path() + "/store") {}

  /// Opens the store, passes it to `use`, and leaves the folder as SIGKILL would.
  template <class Use>
  void crashAfter(const StoreOptions& options, Use use) {
    {
      MetricRegistry metrics;
      const std::unique_ptr<Store> store = Store::open(options, noteFamilies(), metrics);
      use(*store);
      fs::remove_all(work_.path() + "/copy");
      fs::copy(folder_, work_.path() + "/copy", fs::copy_options::recursive);
    }
    fs::remove_all(folder_);
    fs::rename(work_.path() + "/copy", folder_);
  }

  static void put(Store& store, const std::string& partition, std::int64_t from, std::int64_t to) {
    for (std::int64_t n = from; n < to; ++n) {
      const Result<void> done = putRows(store, partition, {note(recoveryKey(n), n, partition)});
      ASSERT_TRUE(done) << done.error().message();
    }
  }

  /// Opens the store and reads a partition.
  Notes readAgain(const std::string& partition, StoreOptions options = {}) {
    options.folder = folder_;
    MetricRegistry metrics;
    const std::unique_ptr<Store> store = Store::open(options, noteFamilies(), metrics);
    incomplete_ = metrics.gauge("spindle_columnar_incomplete", "").value() != 0;
    recent_bytes_ = metrics.gauge("spindle_columnar_recent_bytes", "").value();
    return readNotes(*store, partition);
  }

  std::vector<fs::path> filesThat(const std::string& begin) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().filename().string().rfind(begin, 0) == 0) found.push_back(entry.path());
    }
    return found;
  }

  /// Returns the largest journal.
  fs::path largestJournal() const {
    fs::path largest;
    for (const fs::path& path : filesThat("journal-")) {
      if (largest.empty() || fs::file_size(path) > fs::file_size(largest)) largest = path;
    }
    return largest;
  }

  FolderForTest work_;
  const std::string folder_;
  bool incomplete_ = false;
  std::int64_t recent_bytes_ = 0;
};

/// Waits until rows have moved into the file without a checkpoint.
void awaitFlush(Store& store) {
  while (true) {
    Result<Snapshot> now = store.snapshot();
    ASSERT_TRUE(now);
    if (numberOf(*now, "SELECT count(*) FROM stored.main.notes_shared") > 0) return;
  }
}

TEST_F(RecoveryTest, LosesNothingWithoutTheDuckDbLog) {
  StoreOptions options = optionsOf(folder_);
  options.recent_rows = 50;
  crashAfter(options, [](Store& store) {
    put(store, "1", 0, 180);
    put(store, "2", 0, 20);
    awaitFlush(store);
  });
  ASSERT_TRUE(fs::exists(folder_ + "/traces.duckdb.wal"));
  fs::remove(folder_ + "/traces.duckdb.wal");
  EXPECT_EQ(readAgain("1").size(), 180U);
  EXPECT_FALSE(incomplete_);
  EXPECT_EQ(readAgain("2").size(), 20U);
}

TEST_F(RecoveryTest, LosesNothingWithADamagedDuckDbLog) {
  StoreOptions options = optionsOf(folder_);
  options.recent_rows = 50;
  crashAfter(options, [](Store& store) {
    put(store, "1", 0, 180);
    awaitFlush(store);
  });
  const fs::path log = folder_ + "/traces.duckdb.wal";
  const std::uintmax_t size = fs::file_size(log);
  fs::copy(folder_, work_.path() + "/damaged", fs::copy_options::recursive);
  for (std::uintmax_t at = 0; at < size; at += 1 + size / 20) {
    for (const bool cut : {false, true}) {
      fs::remove_all(folder_);
      fs::copy(work_.path() + "/damaged", folder_, fs::copy_options::recursive);
      if (cut) {
        fs::resize_file(log, at);
      } else {
        flipBits(log, at, 0x55);
      }
      ASSERT_EQ(readAgain("1").size(), 180U) << at << (cut ? " cut" : " flipped");
      ASSERT_EQ(readAgain("1").size(), 180U) << at << (cut ? " cut" : " flipped");
    }
  }
}

TEST_F(RecoveryTest, DetectsAnOldFileAndReusesNoNumbers) {
  const fs::path file = folder_ + "/traces.duckdb";
  crashAfter(optionsOf(folder_), [](Store& store) {
    put(store, "1", 0, 5);
    ASSERT_TRUE(store.flush());
  });
  fs::copy_file(file, work_.path() + "/old");
  crashAfter(optionsOf(folder_), [](Store& store) {
    put(store, "lost", 0, 7);
    ASSERT_TRUE(store.flush());
    put(store, "lost", 7, 9);
    put(store, "1", 5, 8);
  });
  fs::remove(folder_ + "/traces.duckdb.wal");
  fs::copy_file(work_.path() + "/old", file, fs::copy_options::overwrite_existing);
  // The rows of the journal and of the old file are present.
  EXPECT_EQ(readAgain("1").size(), 8U);
  EXPECT_TRUE(incomplete_);
  EXPECT_EQ(readAgain("lost").size(), 2U);
  crashAfter(optionsOf(folder_), [](Store& store) {
    put(store, "new", 0, 3);
    ASSERT_TRUE(store.flush());
  });
  EXPECT_EQ(readAgain("new").size(), 3U);
  EXPECT_EQ(readAgain("lost").size(), 2U);
}

TEST_F(RecoveryTest, RefusesAMissingFile) {
  crashAfter(optionsOf(folder_), [](Store& store) {
    put(store, "1", 0, 5);
    ASSERT_TRUE(store.flush());
  });
  fs::remove(folder_ + "/traces.duckdb");
  try {
    readAgain("1");
    FAIL() << "opened";
  } catch (const std::runtime_error& problem) {
    EXPECT_NE(std::string(problem.what()).find("is missing"), std::string::npos) << problem.what();
  }
  EXPECT_FALSE(fs::exists(folder_ + "/traces.duckdb"));
}

TEST_F(RecoveryTest, UsesCompleteRecordsOfADamagedJournal) {
  crashAfter(optionsOf(folder_), [](Store& store) { put(store, "1", 0, 200); });
  const fs::path journal = largestJournal();
  flipBits(journal, fs::file_size(journal) / 2, 0x55);
  const Notes found = readAgain("1");
  EXPECT_EQ(found.size(), 199U);
  EXPECT_TRUE(incomplete_);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ + "/damaged"), {}), 1);
  // The other rows are in the file, and writing continues.
  crashAfter(optionsOf(folder_), [](Store& store) { put(store, "1", 200, 210); });
  EXPECT_EQ(readAgain("1").size(), 209U);
  EXPECT_FALSE(incomplete_);
}

TEST_F(RecoveryTest, StartsWithAnyJournalContent) {
  crashAfter(optionsOf(folder_), [](Store& store) { put(store, "1", 0, 40); });
  fs::copy(folder_, work_.path() + "/original", fs::copy_options::recursive);
  const fs::path journal = largestJournal();
  const std::uintmax_t size = fs::file_size(journal);
  std::mt19937 random(7);
  for (int round = 0; round < 24; ++round) {
    fs::remove_all(folder_);
    fs::copy(work_.path() + "/original", folder_, fs::copy_options::recursive);
    if (round % 3 == 0) {
      fs::resize_file(journal, random() % size);
    } else if (round % 3 == 1) {
      std::ofstream(journal, std::ios::binary)
          << std::string(1 + random() % 500, static_cast<char>(random()));
    } else {
      for (int i = 0; i < 20; ++i) {
        // Skips the format number, which decides whether this version may read the journal.
        const std::uintmax_t at = random() % size;
        flipBits(journal, at >= 8 && at < 12 ? 12 : at, 0x55);
      }
    }
    ASSERT_LE(readAgain("1").size(), 40U) << round;
    const std::size_t before = readAgain("1").size();
    crashAfter(optionsOf(folder_), [](Store& store) { put(store, "2", 0, 3); });
    ASSERT_EQ(readAgain("1").size(), before) << round;
    ASSERT_EQ(readAgain("2").size(), 3U) << round;
  }
}

TEST_F(RecoveryTest, MovesLargeJournalsIntoTheFileInParts) {
  crashAfter(optionsOf(folder_), [](Store& store) {
    put(store, "1", 0, 300);
    put(store, "1", 100, 200);  // replaces rows of an earlier part
    put(store, "2", 0, 100);
  });
  StoreOptions little;
  little.recent_bytes = 4096;
  EXPECT_EQ(readAgain("1", little).size(), 300U);
  EXPECT_LE(recent_bytes_, 3 * 4096);
  EXPECT_FALSE(incomplete_);
  EXPECT_EQ(readAgain("2", little).size(), 100U);
}

TEST_F(RecoveryTest, ResumesAnInterruptedMove) {
  crashAfter(optionsOf(folder_), [](Store& store) {
    put(store, "1", 0, 400);
    put(store, "1", 100, 300);
    put(store, "2", 0, 100);
  });
  std::mt19937 random(11);
  StoreOptions little = optionsOf(folder_);
  little.recent_bytes = 4096;
  bool finished = false;
  for (int round = 0; round < 60 && !finished; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        MetricRegistry metrics;
        const std::unique_ptr<Store> store = Store::open(little, noteFamilies(), metrics);
        ::_exit(0);
      } catch (const std::exception&) {
        ::_exit(1);
      }
    }
    // Kills the process when DuckDB's log reaches a given length, if it does.
    const std::uintmax_t length = random() % 100'000;
    int ended = 0;
    std::error_code none;
    while (::waitpid(child, &ended, WNOHANG) == 0) {
      const std::uintmax_t now = fs::file_size(folder_ + "/traces.duckdb.wal", none);
      if (none || now < length) continue;
      ::kill(child, SIGKILL);
      ::waitpid(child, &ended, 0);
      break;
    }
    finished = WIFEXITED(ended);
    ASSERT_TRUE(WIFSIGNALED(ended) || WEXITSTATUS(ended) == 0);
  }
  EXPECT_EQ(readAgain("1").size(), 400U);
  EXPECT_EQ(readAgain("2").size(), 100U);
  EXPECT_FALSE(incomplete_);
}

}  // namespace
}  // namespace spindle::columnar
