#include <string>
#include <utility>
#include <vector>

#include "columnar/testing/notes_for_test.h"

namespace spindle::columnar {
namespace {

std::string nameOf(std::string letter, std::int64_t number) {
  const std::string digits = std::to_string(number);
  return std::move(letter) + std::string(8 - digits.size(), '0') + digits;
}

/// Little memory: one table per partition would exceed it.
StoreOptions littleMemory() {
  StoreOptions options;
  options.memory_bytes = 64UL << 20;
  options.recent_bytes = 16UL << 20;
  options.threads = 1;
  return options;
}

class SharedTablesTest : public NotesTest {
 protected:
  explicit SharedTablesTest(StoreOptions options = littleMemory())
      : NotesTest(std::move(options)) {}

  /// Writes one row to each of `partitions` partitions.
  void writeEach(int partitions, const std::string& id, std::int64_t at) {
    constexpr int kAtATime = 500;
    for (int begin = 0; begin < partitions; begin += kAtATime) {
      FunctionChange change([&](Plan& plan) {
        for (int i = begin; i < std::min(partitions, begin + kAtATime); ++i) {
          const std::string partition = nameOf("p", i);
          plan.put(kNotes, partition, note(id, at, partition + " " + id));
        }
        return Result<void>();
      });
      const Result<void> done = store_->write(change, 200UL * kAtATime);
      ASSERT_TRUE(done) << done.error().message();
    }
  }

  /// Writes rows to one partition; enough rows give it its own table.
  void writeMany(const std::string& partition, std::int64_t from, std::int64_t to) {
    for (std::int64_t begin = from; begin < to; begin += 8192) {
      std::vector<Row> rows;
      for (std::int64_t i = begin; i < std::min(to, begin + 8192); ++i) {
        rows.push_back(note(nameOf("k", i), i, "x"));
      }
      const Result<void> done = putRows(*store_, partition, std::move(rows));
      ASSERT_TRUE(done) << done.error().message();
    }
  }

  std::int64_t count(const std::string& partition) {
    Snapshot now = snapshot();
    const Result<std::int64_t> rows = now.count(kNotes, partition, "true");
    EXPECT_TRUE(rows) << rows.error().message();
    if (!rows) return -1;
    EXPECT_EQ(numberOf(now, "SELECT count(*) FROM " + now.from(kNotes, partition) + " AS n"),
              *rows);
    return *rows;
  }
};

TEST_F(SharedTablesTest, FlushesThousandsOfPartitionsWithLittleMemory) {
  constexpr int kPartitions = 3000;
  writeEach(kPartitions, "a", 1);
  flush();
  writeEach(kPartitions, "b", 2);
  writeEach(kPartitions, "a", 3);
  flush();
  for (int round = 0; round < 2; ++round) {
    for (const int i : {0, 1, 1499, kPartitions - 1}) {
      const std::string partition = nameOf("p", i);
      EXPECT_EQ(read(partition), (Notes{{"a", partition + " a"}, {"b", partition + " b"}}));
    }
    {
      Snapshot now = snapshot();
      EXPECT_EQ(numberOf(now, "SELECT count(*) FROM stored.main.notes_shared"), 2 * kPartitions);
    }
    EXPECT_EQ(store_->partitions()->size(), static_cast<std::size_t>(kPartitions));
    if (round == 0) store_.reopen();
  }
}

TEST_F(SharedTablesTest, DropsManyPartitionsAndKeepsTheOthers) {
  constexpr int kPartitions = 1200;
  writeEach(kPartitions, "a", 1);
  flush();
  for (int i = 0; i < kPartitions; i += 2) ASSERT_TRUE(store_->dropPartition(nameOf("p", i)));
  flush();
  flush();
  EXPECT_EQ(read(nameOf("p", 0)), Notes());
  EXPECT_EQ(read(nameOf("p", 1)).size(), 1U);
  Snapshot now = snapshot();
  EXPECT_EQ(numberOf(now, "SELECT count(*) FROM stored.main.notes_shared"), kPartitions / 2);
  EXPECT_EQ(numberOf(now, "SELECT count(DISTINCT partition) FROM stored.main.store_statistics"),
            kPartitions / 2);
}

TEST_F(SharedTablesTest, SummarisesStatisticsOfManyFlushes) {
  constexpr int kFlushes = 40;
  for (int i = 0; i < kFlushes; ++i) {
    writeEach(300, nameOf("k", i), i);
    flush();
  }
  Snapshot now = snapshot();
  EXPECT_LT(numberOf(now, "SELECT count(*) FROM stored.main.store_statistics"), 300 * kFlushes);
  EXPECT_EQ(readNotes(now, nameOf("p", 7)).size(), static_cast<std::size_t>(kFlushes));
  // The estimate lies within the time range of the rows.
  const std::optional<Timestamp> window = now.newestWindow(kNotes, nameOf("p", 7), 10);
  ASSERT_TRUE(window);
  EXPECT_GE(*window, secondsAt(0));
  EXPECT_LE(*window, secondsAt(kFlushes));
}

TEST_F(SharedTablesTest, PacksSeveralFlushesIntoFewRowGroups) {
  // DuckDB keeps a description of every row group in memory, so few and full groups matter.
  constexpr std::int64_t kRows = 18'000;
  for (std::int64_t i = 0; i < 3; ++i) {
    writeMany("p", i * kRows, (i + 1) * kRows);
    flush();
  }
  Snapshot now = snapshot();
  EXPECT_EQ(numberOf(now, "SELECT count(*) FROM stored.main.notes_shared"), 3 * kRows);
  // The rows of the first flush become a row group of their own: the table was empty.
  EXPECT_LE(numberOf(now,
                     "SELECT count(DISTINCT row_group_id) FROM "
                     "pragma_storage_info('stored.main.notes_shared')"),
            2);
}

class OwnTableTest : public SharedTablesTest {
 protected:
  OwnTableTest() : SharedTablesTest(StoreOptions{}) {}
};

TEST_F(OwnTableTest, ReadsAPartitionFromBothTables) {
  constexpr std::int64_t kRows = 330'000;
  writeMany("big", 0, 1000);
  writeMany("small", 0, 10);
  flush();
  writeMany("big", 1000, kRows);
  writeMany("small", 10, 20);
  flush();
  writeMany("big", kRows, kRows + 20'000);
  flush();
  {
    Snapshot now = snapshot();
    EXPECT_EQ(
        numberOf(now, "SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'notes_p%'"), 1);
  }
  EXPECT_EQ(count("big"), kRows + 20'000);
  EXPECT_EQ(count("small"), 20);
  // Rows of both tables can be replaced, erased and found.
  put("big", note(nameOf("k", 5), 5, "changed"));
  put("big", note(nameOf("k", kRows + 5), kRows + 5, "changed"));
  erase("big", nameOf("k", 6));
  erase("big", nameOf("k", kRows + 6));
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(count("big"), kRows + 20'000 - 2) << round;
    EXPECT_EQ(count("small"), 20);
    {
      Snapshot now = snapshot();
      EXPECT_EQ(numberOf(now, "SELECT count(*) FROM " + now.from(kNotes, "big") +
                                  " AS n WHERE text = 'changed'"),
                2);
    }
    if (round == 0) flush();
    if (round == 1) store_.reopen();
  }
  EXPECT_EQ(*store_->removeBefore(kNotes, "big", "made", secondsAt(100)), 99);
  EXPECT_EQ(count("small"), 20);
  EXPECT_EQ(*store_->removeBefore(kNotes, "", "made", secondsAt(200)), 100 + 20);
  ASSERT_TRUE(store_->dropPartition("big"));
  flush();
  EXPECT_EQ(count("big"), 0);
  Snapshot now = snapshot();
  EXPECT_EQ(numberOf(now, "SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'notes_p%'"),
            0);
}

}  // namespace
}  // namespace spindle::columnar
