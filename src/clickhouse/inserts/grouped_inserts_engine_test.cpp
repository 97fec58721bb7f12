#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "clickhouse/client/row_binary.h"
#include "clickhouse/inserts/grouped_inserts.h"
#include "clickhouse/schema/table_options.h"
#include "clickhouse/testing/database_for_test.h"

namespace spindle::clickhouse {
namespace {

TEST(GroupedInsertsEngine, StoresTheRowsOfAllCallersOnce) {
  if (!DatabaseForTest::isAvailable()) GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
  DatabaseForTest database;
  Client& client = database.client();
  const TableOptions tables;
  const Result<void> created =
      client.execute("CREATE TABLE notes (id String) " + tableEngine(tables, "MergeTree", "") +
                     " ORDER BY id SETTINGS " + tableSettings(tables));
  ASSERT_TRUE(created) << created.error().message();
  MetricRegistry metrics;
  GroupedInserts inserts(client, {"notes", {"id"}}, GroupOptions(), metrics);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&inserts, thread] {
      for (int i = 0; i < 10; ++i) {
        std::string rows;
        for (int n = 0; n < 5; ++n)
          putText(rows, std::to_string(thread) + "-" + std::to_string(i) + "-" + std::to_string(n));
        const Result<void> stored = inserts.insert(std::move(rows), 5);
        EXPECT_TRUE(stored) << stored.error().message();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Result<Cursor> row = client.query("SELECT toInt64(count()), toInt64(uniqExact(id)) FROM notes");
  ASSERT_TRUE(row && *row->next());
  EXPECT_EQ(row->integer(0), 400);
  EXPECT_EQ(row->integer(1), 400);
}

}  // namespace
}  // namespace spindle::clickhouse
