#include "columnar/store/store.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>

#include "columnar/testing/notes_for_test.h"

namespace spindle::columnar {
namespace {

using StoreTest = NotesTest;

/// A change that the writer of a store is busy with until release().
class BusyWriter {
 public:
  BusyWriter(Store& store, std::size_t bytes)
      : thread_([this, &store, bytes] { EXPECT_TRUE(store.write(slow_, bytes)); }) {
    entered_.get_future().wait();
  }
  void release() {
    released_.set_value();
    thread_.join();
  }

 private:
  std::promise<void> entered_;
  std::promise<void> released_;
  FunctionChange slow_{[this](Plan&) {
    entered_.set_value();
    released_.get_future().wait();
    return Result<void>();
  }};
  std::thread thread_;
};

TEST_F(StoreTest, ReturnsOnlyRowsOfThePartition) {
  put("1", note("a", 1, "one"));
  put("2", note("a", 1, "other"));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(read("1"), (Notes{{"a", "one"}}));
    EXPECT_EQ(read("2"), (Notes{{"a", "other"}}));
    EXPECT_EQ(read("3"), Notes());
    flush();
  }
}

TEST_F(StoreTest, PreservesEveryTypeInMemoryAndInTheFile) {
  const std::string text = std::string("gr\xC3\xBC\xC3\x9F", 6) + std::string(1, '\0') + "e";
  put("1", {std::string("a"), secondsAt(1), text, std::int64_t{-7}, -0.25, false,
            std::vector<std::string>{"", text, "c"}});
  put("1", {std::string("b"), Value(), Value(), Value(), Value(), Value(), Value()});
  put("1", {std::string("c"), secondsAt(2), std::string(100'000, 'x'), std::int64_t{1} << 60, 1e300,
            true, std::vector<std::string>{}});
  for (int round = 0; round < 3; ++round) {
    Snapshot now = snapshot();
    Result<Cursor> rows = now.query("SELECT id, made, text, size, score, good, tags FROM " +
                                    now.from(kNotes, "1") + " AS n ORDER BY id");
    ASSERT_TRUE(rows) << rows.error().message();
    ASSERT_TRUE(*rows->next());
    EXPECT_EQ(rows->time(1), secondsAt(1));
    EXPECT_EQ(rows->text(2), text);
    EXPECT_EQ(rows->integer(3), -7);
    EXPECT_EQ(rows->real(4), -0.25);
    EXPECT_FALSE(rows->boolean(5));
    EXPECT_EQ(rows->texts(6), (std::vector<std::string>{"", text, "c"}));
    ASSERT_TRUE(*rows->next());
    for (std::size_t column = 1; column < 7; ++column) EXPECT_TRUE(rows->isNull(column)) << column;
    ASSERT_TRUE(*rows->next());
    EXPECT_EQ(rows->text(2).size(), 100'000U);
    EXPECT_EQ(rows->integer(3), std::int64_t{1} << 60);
    EXPECT_EQ(rows->real(4), 1e300);
    EXPECT_FALSE(rows->isNull(6));
    EXPECT_TRUE(rows->texts(6).empty());
    EXPECT_FALSE(*rows->next());
    if (round == 0) flush();
    if (round == 1) {
      put("1", note("d", 3, "d"));
      erase("1", "d");
    }
  }
}

StoreOptions withSmallChanges() {
  StoreOptions options;
  options.change_bytes = 10'000;
  return options;
}

class ChangeSizeTest : public NotesTest {
 protected:
  ChangeSizeTest() : NotesTest(withSmallChanges()) {}

  Result<void> change(std::function<void(Plan&)> plan, std::vector<RowKey> wants = {}) {
    FunctionChange doing(
        [&plan](Plan& on) {
          plan(on);
          return Result<void>();
        },
        std::move(wants));
    return store_->write(doing, 100);
  }
};

TEST_F(ChangeSizeTest, RefusesAChangeThatPutsTooMuch) {
  put("1", note("a", 1, "old"));
  const Result<void> refused = change([](Plan& plan) {
    plan.put(kNotes, "1", note("a", 1, "new"));
    plan.put(kMarks, "2", {std::string("m"), secondsAt(1)});
    for (int i = 0; i < 5; ++i)
      plan.put(kNotes, "1", note("n" + std::to_string(i), i, std::string(3'000, 'x')));
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kTooLarge);
  EXPECT_NE(refused.error().message().find("limits.stored_request"), std::string::npos);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(read("1"), (Notes{{"a", "old"}}));
    EXPECT_EQ(read("2"), Notes());
    store_.reopen();
  }
  EXPECT_TRUE(
      change([](Plan& plan) { plan.put(kNotes, "1", note("b", 1, std::string(9'000, 'x'))); }));
}

TEST_F(ChangeSizeTest, RepeatedPutsOfARowCountOnce) {
  EXPECT_TRUE(change([](Plan& plan) {
    for (int i = 0; i < 100; ++i)
      plan.put(kNotes, "1", note("a", i, std::string(5'000, static_cast<char>('a' + i % 26))));
  }));
  EXPECT_EQ(read("1").at("a"), std::string(5'000, static_cast<char>('a' + 99 % 26)));
}

TEST_F(ChangeSizeTest, ErasedRowsDoNotCount) {
  EXPECT_TRUE(change([](Plan& plan) {
    for (int i = 0; i < 10; ++i) {
      const std::string id = "n" + std::to_string(i);
      plan.put(kNotes, "1", note(id, i, std::string(5'000, 'x')));
      plan.erase(kNotes, "1", id);
    }
  }));
  EXPECT_EQ(read("1"), Notes());
}

TEST_F(ChangeSizeTest, RefusesAChangeThatReadsTooMuch) {
  std::vector<RowKey> wants;
  for (int i = 0; i < 4; ++i) {
    put("1", note("n" + std::to_string(i), i, std::string(4'000, 'x')));
    wants.push_back({kNotes, "1", "n" + std::to_string(i)});
  }
  const auto look = [&wants](Plan& plan) {
    for (const RowKey& key : wants) (void)plan.find(key.family, key.partition, key.key);
  };
  for (int round = 0; round < 2; ++round) {
    const Result<void> refused = change(look, wants);
    ASSERT_FALSE(refused) << round;
    EXPECT_EQ(refused.error().code(), ErrorCode::kTooLarge);
    put("1", note("m", 1, "others are stored"));
    flush();
  }
}

TEST_F(StoreTest, ReplacesRowsInMemoryAndInTheFile) {
  put("1", note("a", 1, "first"));
  put("1", note("a", 1, "second"));
  EXPECT_EQ(read("1"), (Notes{{"a", "second"}}));
  flush();
  put("1", note("a", 1, "third"));
  put("1", note("b", 2, "new"));
  EXPECT_EQ(read("1"), (Notes{{"a", "third"}, {"b", "new"}}));
  flush();
  EXPECT_EQ(read("1"), (Notes{{"a", "third"}, {"b", "new"}}));
  erase("1", "a");
  EXPECT_EQ(read("1"), (Notes{{"b", "new"}}));
  put("1", note("a", 1, "again"));
  flush();
  EXPECT_EQ(read("1"), (Notes{{"a", "again"}, {"b", "new"}}));
}

TEST_F(StoreTest, ErasesExistingRowsAndIgnoresOthers) {
  erase("1", "nobody");
  put("1", note("a", 1, "a"));
  erase("1", "nobody");
  erase("2", "a");
  EXPECT_EQ(read("1").size(), 1U);
  flush();
  erase("1", "a");
  erase("1", "a");
  EXPECT_EQ(read("1"), Notes());
  flush();
  EXPECT_EQ(read("1"), Notes());
}

TEST_F(StoreTest, PlanReadsRowsInMemoryAndInTheFile) {
  const auto append = [this](const std::string& id, const std::string& more) {
    FunctionChange change(
        [&](Plan& plan) {
          const Row* before = plan.find(kNotes, "1", id);
          Row row = before == nullptr ? note(id, 1, "") : *before;
          row[2] = std::get<std::string>(row[2]) + more;
          plan.put(kNotes, "1", std::move(row));
          const Row* after = plan.find(kNotes, "1", id);
          EXPECT_TRUE(after != nullptr);
          return Result<void>();
        },
        {{kNotes, "1", id}});
    ASSERT_TRUE(store_->write(change, 100));
  };
  append("a", "1");
  append("a", "2");
  append("b", "x");
  flush();
  append("a", "3");
  append("b", "y");
  append("a", "4");
  store_.reopen();
  append("a", "5");
  EXPECT_EQ(read("1"), (Notes{{"a", "12345"}, {"b", "xy"}}));
}

TEST_F(StoreTest, RollsBackARefusedPlan) {
  put("1", note("a", 1, "before"));
  FunctionChange change([](Plan& plan) -> Result<void> {
    plan.put(kNotes, "1", note("a", 1, "after"));
    plan.put(kNotes, "1", note("b", 1, "new"));
    plan.put(kNotes, "new partition", note("c", 1, "new"));
    plan.erase(kNotes, "1", "a");
    return Error::invalidArgument("No.");
  });
  const Result<void> refused = store_->write(change, 100);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(read("1"), (Notes{{"a", "before"}}));
  EXPECT_EQ(read("new partition"), Notes());
}

TEST_F(StoreTest, RefusesInvalidUtf8AndStoresTheRest) {
  const Result<void> refused = putRows(*store_, "1", {note("a", 1, "bad \xFF")});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  put("1", note("b", 1, "good"));
  EXPECT_EQ(read("1"), (Notes{{"b", "good"}}));
  Snapshot now = snapshot();
  const Result<Cursor> bad = now.query("SELECT ?", {std::string("\xC0\x80")});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code(), ErrorCode::kInvalidArgument);
}

TEST_F(StoreTest, KeepsRowsWhenReopened) {
  put("1", note("a", 1, "in the file"));
  flush();
  put("1", note("b", 2, "in the journal"));
  put("1", note("a", 1, "changed"));
  put("2", note("c", 2, "elsewhere"));
  put("2", note("d", 2, "gone"));
  erase("2", "d");
  for (int round = 0; round < 3; ++round) {
    store_.reopen();
    EXPECT_EQ(read("1"), (Notes{{"a", "changed"}, {"b", "in the journal"}}));
    EXPECT_EQ(read("2"), (Notes{{"c", "elsewhere"}}));
    if (round == 1) flush();
  }
}

TEST_F(StoreTest, NeverReusesRowNumbers) {
  const auto number_of_a = [this] {
    Snapshot now = snapshot();
    return numberOf(
        now, "SELECT row_number_in_store FROM " + now.from(kNotes, "1") + " AS n WHERE id = 'a'");
  };
  put("1", note("a", 1, "first"));
  const std::int64_t first = number_of_a();
  put("1", note("z", 1, "other"));
  flush();
  EXPECT_EQ(number_of_a(), first);
  erase("1", "z");
  erase("1", "a");
  flush();
  store_.reopen();
  put("1", note("a", 1, "second"));
  EXPECT_GT(number_of_a(), first + 1);
}

TEST_F(StoreTest, DropsAPartitionImmediatelyAndPermanently) {
  put("1", note("a", 1, "old"));
  flush();
  put("1", note("b", 2, "recent"));
  put("2", note("c", 2, "kept"));
  Snapshot before = snapshot();
  ASSERT_TRUE(store_->dropPartition("1"));
  ASSERT_TRUE(store_->dropPartition("nobody"));
  EXPECT_EQ(read("1"), Notes());
  EXPECT_EQ(readNotes(before, "1"), (Notes{{"a", "old"}, {"b", "recent"}}));
  put("1", note("a", 3, "new"));
  EXPECT_EQ(read("1"), (Notes{{"a", "new"}}));
  flush();
  EXPECT_EQ(readNotes(before, "1"), (Notes{{"a", "old"}, {"b", "recent"}}));
}

TEST_F(StoreTest, ListsPartitions) {
  put("1", note("a", 1, "x"));
  put("2", note("b", 2, "y"));
  ASSERT_TRUE(store_->dropPartition("1"));
  EXPECT_EQ(store_->partitions().value(), std::vector<std::string>{"2"});
  put("1", note("a", 3, "z"));
  store_.reopen();
  EXPECT_EQ(store_->partitions().value(), (std::vector<std::string>{"1", "2"}));
}

TEST_F(StoreTest, RemovesADroppedPartitionFromTheFile) {
  put("1", note("a", 1, "old"));
  put("2", note("c", 2, "kept"));
  flush();
  ASSERT_TRUE(store_->dropPartition("1"));
  put("1", note("a", 3, "new"));
  flush();
  Snapshot now = snapshot();
  EXPECT_EQ(numberOf(now, "SELECT count(*) FROM stored.main.notes_shared"), 2);
  EXPECT_EQ(readNotes(now, "1"), (Notes{{"a", "new"}}));
}

TEST_F(StoreTest, KeepsPartitionsSeparateWhenReopened) {
  put("2", note("c", 2, "kept"));
  put("1", note("a", 3, "new"));
  store_.reopen();
  EXPECT_EQ(read("1"), (Notes{{"a", "new"}}));
  EXPECT_EQ(read("2"), (Notes{{"c", "kept"}}));
}

TEST_F(StoreTest, RecoversADropFromTheJournal) {
  put("1", note("a", 1, "old"));
  flush();
  put("1", note("b", 1, "recent"));
  ASSERT_TRUE(store_->dropPartition("1"));
  store_.reopen();
  EXPECT_EQ(read("1"), Notes());
  put("1", note("c", 1, "new"));
  store_.reopen();
  flush();
  EXPECT_EQ(read("1"), (Notes{{"c", "new"}}));
}

TEST_F(StoreTest, RemovesRowsBeforeATime) {
  for (std::int64_t i = 0; i < 10; ++i) {
    put("1", note("a" + std::to_string(i), i, "stored"));
    put("2", note("a" + std::to_string(i), i, "stored"));
  }
  flush();
  for (std::int64_t i = 0; i < 10; ++i) put("1", note("b" + std::to_string(i), i, "recent"));
  put("1", note("a3", 30, "moved on"));
  put("1", {std::string("n"), Value(), Value(), Value(), Value(), Value(), Value()});

  EXPECT_EQ(*store_->removeBefore(kNotes, "1", "made", secondsAt(5)), 4 + 5);
  EXPECT_EQ(*store_->removeBefore(kNotes, "nobody", "made", secondsAt(5)), 0);
  Notes left = read("1");
  EXPECT_EQ(left.size(), 5U + 5U + 2U);
  EXPECT_EQ(left.count("a4"), 0U);
  EXPECT_EQ(left.count("a5"), 1U);
  EXPECT_EQ(left["a3"], "moved on");
  EXPECT_EQ(read("2").size(), 10U);
  flush();
  EXPECT_EQ(read("1").size(), 12U);
  EXPECT_EQ(*store_->removeBefore(kNotes, "", "made", secondsAt(9)), 8 + 9);
  store_.reopen();
  EXPECT_EQ(read("1").size(), 4U);
  EXPECT_EQ(read("2").size(), 1U);
}

TEST_F(StoreTest, ReadsNewColumnsOfOldRowsAsNull) {
  put("1", note("a", 1, "stored"));
  flush();
  put("1", note("b", 1, "in the journal"));
  std::vector<Family> families = noteFamilies();
  families[kNotes].columns.push_back({"colour", ColumnType::kText});
  std::swap(families[0], families[1]);  // a family is identified by its name
  store_.reopen(families);
  FunctionChange change([](Plan& plan) {
    Row row = note("c", 1, "new");
    row.emplace_back(std::string("red"));
    plan.put(1, "1", std::move(row));
    return Result<void>();
  });
  ASSERT_TRUE(store_->write(change, 100));
  for (int round = 0; round < 2; ++round) {
    Snapshot now = snapshot();
    const SqlText from = now.from(1, "1");
    EXPECT_EQ(numberOf(now, "SELECT count(*) FROM " + from + " AS n WHERE colour IS NULL"), 2);
    EXPECT_EQ(numberOf(now, "SELECT count(*) FROM " + from + " AS n WHERE colour = 'red'"), 1);
    flush();
  }
}

TEST_F(StoreTest, RefusesFilesOfANewerVersion) {
  put("1", note("a", 1, "a"));
  store_.close();
  std::string journal;
  for (const auto& entry : std::filesystem::directory_iterator(store_.options().folder)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("journal-", 0) == 0 && entry.file_size() > 24) journal = entry.path().string();
  }
  {
    std::fstream file(journal, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8);
    file.put('\x02');
  }
  try {
    store_.reopen();
    FAIL() << "opened";
  } catch (const std::runtime_error& problem) {
    EXPECT_NE(std::string(problem.what()).find("newer version"), std::string::npos);
  }
}

TEST_F(StoreTest, RefusesChangesWhenTheQueueIsFull) {
  StoreOptions options;
  options.queued_bytes = 1000;
  StoreForTest store(noteFamilies(), options);
  BusyWriter writer(*store, 5000);
  const Result<void> refused = putRows(*store, "1", {note("a", 1, "a")});
  EXPECT_TRUE(!refused && refused.error().code() == ErrorCode::kRateLimited);
  writer.release();
  EXPECT_TRUE(putRows(*store, "1", {note("a", 1, "a")}));
}

TEST_F(StoreTest, StoresQueuedChangesTogetherAndInOrder) {
  BusyWriter first(*store_, 1);
  const Gauge& queued = store_.metrics().gauge("spindle_columnar_queued_bytes", "");
  const Counter& groups = store_.metrics().counter("spindle_columnar_groups_total", "");
  std::vector<std::thread> writers;
  for (int i = 0; i < 20; ++i) {
    writers.emplace_back([this, i] {
      FunctionChange add(
          [i](Plan& plan) -> Result<void> {
            const Row* before = plan.find(kNotes, "1", "sum");
            Row row = note("sum", before == nullptr ? 0 : std::get<std::int64_t>((*before)[3]), "");
            row[3] = std::get<std::int64_t>(row[3]) + 1;
            plan.put(kNotes, "1", std::move(row));
            if (i % 2 == 1) return Error::conflict("odd ones give up");
            return {};
          },
          {{kNotes, "1", "sum"}});
      EXPECT_EQ(store_->write(add, 10).has_value(), i % 2 == 0);
    });
    while (queued.value() != 1 + 10 * (i + 1)) std::this_thread::yield();
  }
  first.release();
  for (std::thread& writer : writers) writer.join();
  Snapshot now = snapshot();
  EXPECT_EQ(numberOf(now, "SELECT size FROM " + now.from(kNotes, "1") + " AS n"), 10);
  EXPECT_EQ(groups.value(), 1U);
}

}  // namespace
}  // namespace spindle::columnar
