#include "columnar/store.h"

#include <map>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "columnar/store_for_test.h"

namespace spindle::columnar {
namespace {

constexpr FamilyId kNotes = 0;

std::vector<Family> families() {
  return {{.name = "notes",
           .columns = {{"id", ColumnType::kText},
                       {"at", ColumnType::kTime},
                       {"text", ColumnType::kText},
                       {"size", ColumnType::kInteger},
                       {"score", ColumnType::kReal},
                       {"good", ColumnType::kBoolean},
                       {"tags", ColumnType::kTexts}},
           .key = 0,
           .order = 1},
          {.name = "marks",
           .columns = {{"id", ColumnType::kText}, {"at", ColumnType::kTime}},
           .key = 0,
           .order = 1}};
}

Timestamp at(std::int64_t seconds) { return timestampOfMicros(seconds * 1'000'000); }

Row note(std::string id, std::int64_t seconds, std::string text) {
  return {std::move(id),
          at(seconds),
          std::move(text),
          seconds,
          0.5 * static_cast<double>(seconds),
          true,
          std::vector<std::string>{"a", "b"}};
}

/// A change made of a function.
class Doing final : public Change {
 public:
  explicit Doing(std::function<Result<void>(Plan&)> plan, std::vector<RowKey> wants = {})
      : plan_(std::move(plan)), wants_(std::move(wants)) {}
  std::vector<RowKey> wants() const override { return wants_; }
  Result<void> plan(Plan& plan) override { return plan_(plan); }

 private:
  std::function<Result<void>(Plan&)> plan_;
  std::vector<RowKey> wants_;
};

class StoreTest : public ::testing::Test {
 protected:
  void put(const std::string& partition, Row row) {
    Doing change([&](Plan& plan) {
      plan.put(kNotes, partition, row);
      return Result<void>();
    });
    const Result<void> done = store_->write(change, 100);
    ASSERT_TRUE(done) << done.error().message();
  }

  void erase(const std::string& partition, const std::string& id) {
    Doing change([&](Plan& plan) {
      plan.erase(kNotes, partition, id);
      return Result<void>();
    });
    ASSERT_TRUE(store_->write(change, 100));
  }

  static std::map<std::string, std::string> read(Snapshot& snapshot, const std::string& partition) {
    std::map<std::string, std::string> found;
    Result<Cursor> cursor =
        snapshot.query("SELECT id, text FROM " + snapshot.from(kNotes, partition) + " AS n");
    EXPECT_TRUE(cursor) << cursor.error().message();
    if (!cursor) return found;
    while (true) {
      const Result<bool> more = cursor->next();
      EXPECT_TRUE(more) << more.error().message();
      if (!more || !*more) return found;
      const bool once =
          found.emplace(std::string(cursor->text(0)), std::string(cursor->text(1))).second;
      EXPECT_TRUE(once) << cursor->text(0) << " is there twice";
    }
  }

  std::map<std::string, std::string> read(const std::string& partition) {
    Result<Snapshot> snapshot = store_->snapshot();
    EXPECT_TRUE(snapshot) << snapshot.error().message();
    return snapshot ? read(*snapshot, partition) : std::map<std::string, std::string>();
  }

  void flush() {
    const Result<void> done = store_->flush();
    ASSERT_TRUE(done) << done.error().message();
  }

  StoreForTest store_{families()};
};

using Notes = std::map<std::string, std::string>;

TEST_F(StoreTest, ShowsWhatWasWrittenToItsPartitionOnly) {
  put("1", note("a", 1, "one"));
  put("2", note("a", 1, "other"));
  EXPECT_EQ(read("1"), (Notes{{"a", "one"}}));
  EXPECT_EQ(read("2"), (Notes{{"a", "other"}}));
  EXPECT_EQ(read("3"), Notes());
  flush();
  EXPECT_EQ(read("1"), (Notes{{"a", "one"}}));
  EXPECT_EQ(read("2"), (Notes{{"a", "other"}}));
}

TEST_F(StoreTest, PutsInPlaceOfTheOldRowWhereverThatIs) {
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
  flush();
  EXPECT_EQ(read("1"), (Notes{{"b", "new"}}));
}

TEST_F(StoreTest, KeepsWhatWasWrittenWhenItIsOpenedAgain) {
  put("1", note("a", 1, "in the file"));
  flush();
  put("1", note("b", 2, "in the journal"));
  put("1", note("a", 1, "changed"));
  put("2", note("c", 2, "elsewhere"));
  store_.reopen();
  EXPECT_EQ(read("1"), (Notes{{"a", "changed"}, {"b", "in the journal"}}));
  EXPECT_EQ(read("2"), (Notes{{"c", "elsewhere"}}));
  flush();
  store_.reopen();
  EXPECT_EQ(read("1"), (Notes{{"a", "changed"}, {"b", "in the journal"}}));
}

}  // namespace
}  // namespace spindle::columnar
