#include "columnar/changes/key_filter.h"

#include <string>

#include <gtest/gtest.h>

#include "columnar/testing/notes_for_test.h"

namespace spindle::columnar {
namespace {

std::string filterKey(int number) { return "key " + std::to_string(number); }

TEST(KeyFilter, HasNoFalseNegativesAndFewFalsePositives) {
  constexpr int kKeys = 50'000;
  for (const int expected : {0, kKeys}) {
    KeyFilter filter;
    EXPECT_FALSE(filter.mayContain(filterKey(1)));
    if (expected > 0) filter.expect(static_cast<std::size_t>(expected));
    for (int i = 0; i < kKeys; ++i) filter.add(filterKey(i));
    int wrong = 0;
    for (int i = 0; i < kKeys; ++i) {
      EXPECT_TRUE(filter.mayContain(filterKey(i)));
      if (filter.mayContain(filterKey(kKeys + i))) ++wrong;
    }
    EXPECT_LT(wrong, kKeys / 200) << expected;
  }
}

/// Many keys share a number.
std::int64_t lengthOf(std::string_view key) { return static_cast<std::int64_t>(key.size()); }

std::vector<Family> numberedFamilies() {
  std::vector<Family> families = noteFamilies();
  families[kNotes].key_number = KeyNumber{3, lengthOf};
  return families;
}

/// Returns a note whose key is unrelated to its time.
Row numberedNote(const std::string& id, std::int64_t seconds, std::string text) {
  Row row = note(id, seconds, std::move(text));
  row[3] = lengthOf(id);
  return row;
}

class UnorderedKeysTest : public ::testing::Test {
 protected:
  void put(std::vector<Row> rows, const std::string& partition = "1") {
    const Result<void> done = putRows(*store_, partition, std::move(rows));
    ASSERT_TRUE(done) << done.error().message();
  }
  void flush() { ASSERT_TRUE(store_->flush()); }
  Notes read(const std::string& partition = "1") { return readNotes(*store_, partition); }

  StoreForTest store_{numberedFamilies()};
};

TEST_F(UnorderedKeysTest, ReplacesRowsInMemoryAndInTheFile) {
  put({numberedNote("m", 50, "in the same change"), numberedNote("m", 10, "first")});
  EXPECT_EQ(read(), (Notes{{"m", "first"}}));
  put({numberedNote("m", 20, "in memory")});
  EXPECT_EQ(read(), (Notes{{"m", "in memory"}}));
  flush();
  put({numberedNote("a", 5, "less"), numberedNote("z", 60, "greater")});
  put({numberedNote("m", 1, "earlier than in the file")});
  const Notes all{{"a", "less"}, {"m", "earlier than in the file"}, {"z", "greater"}};
  EXPECT_EQ(read(), all);
  flush();
  EXPECT_EQ(read(), all);
}

TEST_F(UnorderedKeysTest, ReopenedStoreKnowsItsKeys) {
  put({numberedNote("file", 1, "1"), numberedNote("elif", 2, "1")});
  flush();
  put({numberedNote("journal", 3, "1")});
  store_.reopen();
  put({numberedNote("file", 4, "2"), numberedNote("journal", 5, "2")});
  Notes all{{"elif", "1"}, {"file", "2"}, {"journal", "2"}};
  EXPECT_EQ(read(), all);
  flush();
  store_.reopen();
  EXPECT_EQ(read(), all);
  put({numberedNote("journal", 6, "3"), numberedNote("file", 7, "3")});
  all = {{"elif", "1"}, {"file", "3"}, {"journal", "3"}};
  EXPECT_EQ(read(), all);
  flush();
  EXPECT_EQ(read(), all);
}

TEST_F(UnorderedKeysTest, RecoveredJournalRowsAreFoundAfterAFlush) {
  put({numberedNote("k", 1, "1")});
  store_.reopen();
  put({numberedNote("other", 2, "1")});
  flush();
  put({numberedNote("k", 9, "2")});
  EXPECT_EQ(read(), (Notes{{"k", "2"}, {"other", "1"}}));
}

TEST_F(UnorderedKeysTest, PlanSeesOnlyTheRowOfItsKey) {
  put({numberedNote("aa", 1, "a"), numberedNote("bb", 2, "b")});
  flush();
  for (int round = 0; round < 2; ++round) {
    FunctionChange change(
        [](Plan& plan) {
          const Row* known = plan.find(kNotes, "1", "bb");
          EXPECT_TRUE(known != nullptr && (*known)[2] == Value(std::string("b")));
          EXPECT_EQ(plan.find(kNotes, "1", "cc"), nullptr);
          EXPECT_EQ(plan.find(kNotes, "1", "c"), nullptr);
          return Result<void>();
        },
        {{kNotes, "1", "bb"}, {kNotes, "1", "cc"}, {kNotes, "1", "c"}});
    ASSERT_TRUE(store_->write(change, 100));
    store_.reopen();
  }
}

TEST_F(UnorderedKeysTest, DroppedPartitionStartsEmpty) {
  put({numberedNote("a", 1, "old")});
  flush();
  ASSERT_TRUE(store_->dropPartition("1"));
  put({numberedNote("a", 2, "new")});
  EXPECT_EQ(read(), (Notes{{"a", "new"}}));
  flush();
  put({numberedNote("a", 3, "newer")});
  EXPECT_EQ(read(), (Notes{{"a", "newer"}}));
}

/// Notes whose keys grow with time if they begin with a digit.
std::vector<Family> partlyOrderedFamilies() {
  std::vector<Family> families = noteFamilies();
  families[kNotes].key_order = KeyOrder{
      [](std::string_view key) { return key.front() >= '0' && key.front() <= '9'; }, "id >= 'a'"};
  return families;
}

class PartlyOrderedKeysTest : public ::testing::Test {
 protected:
  /// Writes each row in a change of its own.
  void put(std::vector<Row> rows) {
    for (Row& row : rows) {
      const Result<void> done = putRows(*store_, "1", {std::move(row)});
      ASSERT_TRUE(done) << done.error().message();
    }
  }
  /// Expects the same notes before and after a flush.
  void expectNotes(const Notes& expected) {
    EXPECT_EQ(read(), expected);
    flush();
    EXPECT_EQ(read(), expected);
  }
  void flush() { ASSERT_TRUE(store_->flush()); }
  Notes read() { return readNotes(*store_, "1"); }

  StoreForTest store_{partlyOrderedFamilies()};
};

TEST_F(PartlyOrderedKeysTest, ReplacesRowsOfBothKinds) {
  put({note("1", 1, "ordered"), note("m", 2, "unordered")});
  flush();
  put({note("a", 3, "new, less than a stored key"),
       note("z", 4, "new, greater than all stored keys"), note("2", 5, "new"),
       note("m", 6, "replaced"), note("1", 7, "replaced")});
  expectNotes({{"1", "replaced"},
               {"2", "new"},
               {"a", "new, less than a stored key"},
               {"m", "replaced"},
               {"z", "new, greater than all stored keys"}});
}

TEST_F(PartlyOrderedKeysTest, ReopenedStoreKnowsKeysOfBothKinds) {
  put({note("1", 1, "old"), note("m", 2, "old")});
  flush();
  put({note("2", 3, "old"), note("n", 4, "old")});
  store_.reopen();
  for (const char* id : {"1", "m", "2", "n"}) put({note(id, 9, "new")});
  const Notes all{{"1", "new"}, {"2", "new"}, {"m", "new"}, {"n", "new"}};
  expectNotes(all);
  store_.reopen();
  EXPECT_EQ(read(), all);
}

TEST_F(PartlyOrderedKeysTest, FindsRowsOfBothKindsByKey) {
  put({note("5", 1, "ordered"), note("m", 2, "unordered")});
  flush();
  FunctionChange change(
      [](Plan& plan) {
        for (const char* id : {"5", "m"}) EXPECT_NE(plan.find(kNotes, "1", id), nullptr) << id;
        for (const char* id : {"1", "7", "a", "z"}) EXPECT_EQ(plan.find(kNotes, "1", id), nullptr);
        return Result<void>();
      },
      {{kNotes, "1", "5"}, {kNotes, "1", "m"}, {kNotes, "1", "1"}, {kNotes, "1", "z"}});
  ASSERT_TRUE(store_->write(change, 100));
}

TEST(KeyOrder, KnowsVersion7Uuids) {
  EXPECT_TRUE(kUuid7Order.ordered("018f4d10-5c00-7000-8000-000000000001"));
  EXPECT_FALSE(kUuid7Order.ordered("018f4d10-5c00-4000-8000-000000000001"));
  EXPECT_FALSE(kUuid7Order.ordered("00f067aa0ba902b7"));
  EXPECT_FALSE(kUuid7Order.ordered(""));
}

TEST_F(UnorderedKeysTest, FalsePositivesDoNotLoseRows) {
  constexpr int kRows = 30'000;  // enough for some false positives of the filter
  constexpr int kAtOnce = 1000;
  for (int first = 0; first < 2 * kRows; first += kAtOnce) {
    std::vector<Row> rows;
    for (int i = first; i < first + kAtOnce; ++i) {
      rows.push_back(numberedNote(filterKey(i), i, "x"));
    }
    put(std::move(rows));
    if (first + kAtOnce == kRows) flush();
  }
  EXPECT_EQ(read().size(), 2U * kRows);
}

TEST_F(UnorderedKeysTest, ErasedRowsStayErased) {
  put({numberedNote("a", 1, "a"), numberedNote("b", 1, "b")});
  flush();
  FunctionChange change([](Plan& plan) {
    plan.erase(kNotes, "1", "a");
    plan.erase(kNotes, "1", "nobody");
    return Result<void>();
  });
  ASSERT_TRUE(store_->write(change, 100));
  EXPECT_EQ(read(), (Notes{{"b", "b"}}));
  flush();
  store_.reopen();
  EXPECT_EQ(read(), (Notes{{"b", "b"}}));
}

}  // namespace
}  // namespace spindle::columnar
