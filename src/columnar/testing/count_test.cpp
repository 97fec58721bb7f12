#include <atomic>
#include <random>
#include <string>
#include <thread>

#include "columnar/testing/notes_for_test.h"

namespace spindle::columnar {
namespace {

constexpr SqlView kAll = "true";
constexpr SqlView kLarge = "c.size >= 500";

class CountTest : public NotesTest {
 protected:
  /// Compares the count of a snapshot with the rows that it reads.
  static void expectExact(Snapshot& now, const std::string& partition) {
    for (const SqlView condition : {kAll, kLarge}) {
      const Result<std::int64_t> counted = now.count(kNotes, partition, condition);
      ASSERT_TRUE(counted) << counted.error().message();
      Result<Cursor> rows = now.query("SELECT count(*) FROM " + now.from(kNotes, partition) +
                                      " AS c WHERE " + condition);
      ASSERT_TRUE(rows) << rows.error().message();
      ASSERT_TRUE(*rows->next());
      EXPECT_EQ(*counted, rows->integer(0)) << condition.text();
    }
  }
  void expectCount(std::int64_t expected, SqlView condition = kAll) {
    const Result<std::int64_t> counted = snapshot().count(kNotes, "1", condition);
    ASSERT_TRUE(counted) << counted.error().message();
    EXPECT_EQ(*counted, expected);
  }
};

TEST_F(CountTest, EmptyPartitionHasNoRows) { expectCount(0); }

TEST_F(CountTest, CountsRowsBeforeAndAfterAFlush) {
  put("1", note("a", 1, "one"));
  put("2", note("a", 1, "of another partition"));
  expectCount(1);
  flush();
  expectCount(1);
  put("1", note("b", 600, "two"));
  expectCount(2);
  expectCount(1, kLarge);
  flush();
  expectCount(2);
  expectCount(1, kLarge);
}

TEST_F(CountTest, ReplacedRowsCountOnceAndErasedRowsDoNot) {
  put("1", note("a", 1, "one"));
  put("1", note("b", 2, "two"));
  flush();
  expectCount(2);
  put("1", note("a", 700, "one, again"));
  expectCount(2);
  expectCount(1, kLarge);
  erase("1", "b");
  expectCount(1);
  flush();
  expectCount(1);
  expectCount(1, kLarge);
}

TEST_F(CountTest, RowsRemovedByTimeDoNotCount) {
  for (int i = 0; i < 10; ++i) put("1", note("n" + std::to_string(i), i, "x"));
  flush();
  expectCount(10);
  const Result<std::int64_t> removed = store_->removeBefore(kNotes, "1", "made", secondsAt(4));
  ASSERT_TRUE(removed) << removed.error().message();
  EXPECT_EQ(*removed, 4);
  expectCount(6);
}

TEST_F(CountTest, SnapshotIgnoresLaterChanges) {
  put("1", note("a", 1, "one"));
  flush();
  Snapshot before = snapshot();
  put("1", note("b", 2, "two"));
  flush();
  expectCount(2);
  EXPECT_EQ(*before.count(kNotes, "1", kAll), 1);
  ASSERT_TRUE(store_->removeBefore(kNotes, "1", "made", secondsAt(2)));
  expectCount(1);
  EXPECT_EQ(*before.count(kNotes, "1", kAll), 1);
}

TEST_F(CountTest, DroppedPartitionStartsEmpty) {
  put("1", note("a", 1, "one"));
  flush();
  expectCount(1);
  ASSERT_TRUE(store_->dropPartition("1"));
  expectCount(0);
  put("1", note("b", 2, "two"));
  expectCount(1);
}

TEST_F(CountTest, IsExactDuringConcurrentChanges) {
  std::atomic<bool> done{false};
  std::thread mover([this, &done] {
    while (!done) {
      flush();
      ASSERT_TRUE(store_->removeBefore(kNotes, "1", "made", secondsAt(50)));
    }
  });
  std::thread reader([this, &done] {
    while (!done) {
      Snapshot now = snapshot();
      expectExact(now, "1");
    }
  });
  std::mt19937 random(7);
  for (int i = 0; i < 600; ++i) {
    const std::string id = "n" + std::to_string(random() % 100);
    if (random() % 4 == 0) {
      erase("1", id);
    } else {
      put("1", note(id, static_cast<std::int64_t>(random() % 1000), "text"));
    }
  }
  done = true;
  mover.join();
  reader.join();
  Snapshot now = snapshot();
  expectExact(now, "1");
}

}  // namespace
}  // namespace spindle::columnar
