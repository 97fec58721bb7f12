#include <string>
#include <vector>

#include "columnar/duckdb/connection.h"
#include "columnar/duckdb/engine.h"
#include "columnar/testing/notes_for_test.h"

namespace spindle::columnar {
namespace {

/// Writes a store file in format 1: one table per partition, with statistics.
void writeFormat1(const std::string& folder, int partitions, int large_rows) {
  EngineOptions options;
  options.file = folder + "/traces.duckdb";
  options.spill_folder = folder + "/spill";
  Engine engine(options);
  const std::unique_ptr<Connection> connection = engine.connect();
  const auto run = [&connection](SqlView sql) {
    const Result<void> done = connection->execute(sql);
    ASSERT_TRUE(done) << sql.text() << ": " << done.error().message();
  };
  run("CREATE TABLE stored.main.store_state (name VARCHAR, value BIGINT)");
  run("INSERT INTO stored.main.store_state VALUES ('format', 1), ('generation', 4), "
      "('next_row', 1000000)");
  run("CREATE TABLE stored.main.store_partitions (number BIGINT, name VARCHAR, retired BOOLEAN)");
  run("CREATE TABLE stored.main.store_tables "
      "(family VARCHAR, partition BIGINT, created BIGINT, max_key VARCHAR)");
  run("CREATE TABLE stored.main.store_runs "
      "(family VARCHAR, partition BIGINT, first TIMESTAMP, last TIMESTAMP, rows BIGINT)");
  for (int i = 1; i <= partitions; ++i) {
    const SqlText number = SqlText::number(i);
    const SqlText rows = SqlText::number(i == 1 ? large_rows : 3);
    const SqlText table = "stored.main.notes_p" + number;
    // Without the column `tags`, which a later release added.
    run("CREATE TABLE " + table +
        " (id VARCHAR, made TIMESTAMP, text VARCHAR, size BIGINT, score DOUBLE, good BOOLEAN, "
        "row_number_in_store BIGINT, generation_in_store BIGINT)");
    run("INSERT INTO " + table + " SELECT 'k' || range, make_timestamp(range * 1000000), 'p" +
        number + "', range, 0.5, true, " + number + " * 1000 + range, 4 FROM range(" + rows + ")");
    run("INSERT INTO stored.main.store_partitions VALUES (" + number + ", 'p" + number + "', " +
        (i == 2 ? SqlView("true") : SqlView("false")) + ")");
    run("INSERT INTO stored.main.store_tables VALUES ('notes', " + number + ", 4, 'k9')");
    run("INSERT INTO stored.main.store_runs SELECT 'notes', " + number +
        ", min(made), max(made), count(*) FROM " + table);
  }
}

TEST(StoredMigration, MergesSmallTablesAndKeepsLargeOnes) {
  FolderForTest folder;
  constexpr int kOldPartitions = 100;
  constexpr int kLargePartition = 300'000;
  ASSERT_NO_FATAL_FAILURE(writeFormat1(folder.path(), kOldPartitions, kLargePartition));
  StoreOptions options;
  options.folder = folder.path();
  for (int round = 0; round < 2; ++round) {
    MetricRegistry metrics;
    const std::unique_ptr<Store> store = Store::open(options, noteFamilies(), metrics);
    {
      Result<Snapshot> now = store->snapshot();
      ASSERT_TRUE(now);
      EXPECT_EQ(numberOf(*now,
                         "SELECT count(*) FROM duckdb_tables() "
                         "WHERE table_name LIKE 'notes_p%'"),
                1);
      EXPECT_EQ(now->count(kNotes, "p1", "true").value(), kLargePartition + round);
      EXPECT_EQ(now->count(kNotes, "p2", "true").value(), 0);  // dropped
      EXPECT_EQ(readNotes(*now, "p7").size(), 3U + static_cast<unsigned>(round));
      EXPECT_EQ(now->newestWindow(kNotes, "p9", 3).value_or(secondsAt(-1)), secondsAt(0));
    }
    // Rows in both kinds of tables can be replaced, and new rows can be added.
    for (const std::string partition : {"p1", "p7"}) {
      ASSERT_TRUE(
          putRows(*store, partition, {note("k1", 1, "changed"), note("n" + partition, 1, "new")}));
      EXPECT_EQ(readNotes(*store, partition)["k1"], "changed");
    }
    ASSERT_TRUE(store->flush());
    EXPECT_EQ(readNotes(*store, "p7").size(), 4U);
  }
}

}  // namespace
}  // namespace spindle::columnar
