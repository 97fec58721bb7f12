#include "s3/blobs/blob_rows.h"

#include <gtest/gtest.h>

#include "s3/blobs/migrations.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::s3 {
namespace {

using Reservation = BlobRows::Reservation;
using std::chrono::hours, std::chrono::minutes, std::chrono::seconds;
using storage::Engine;

class BlobRowsTest : public ::testing::TestWithParam<Engine> {
 protected:
  void SetUp() override { database_->migrate({s3Schema()}, clock_.now()); }

  static bool mark(storage::DatabaseForTest& database,
                   BlobRows& rows,
                   const Sha256& name,
                   Timestamp before) {
    return *database->write(
        [&](storage::Session& session) { return rows.markErasing(session, name, before); });
  }
  bool mark(BlobRows& rows) { return mark(database_, rows, name_, clock_.now() + seconds(1)); }

  ManualClock clock_{*parseTimestamp("2026-01-02T03:04:05Z").value};
  storage::DatabaseForTest database_{GetParam()};
  BlobRows rows_{*database_, clock_};
  BlobRows other_{*database_, clock_};  // of another node
  const Sha256 name_ = sha256("content");
};

TEST_P(BlobRowsTest, RecordsWhenABlobWasPut) {
  EXPECT_EQ(*rows_.reserve(name_), Reservation::kNew);
  EXPECT_EQ(*other_.reserve(name_), Reservation::kKnown);
  clock_.advance(hours(30));
  EXPECT_EQ(*other_.reserve(name_), Reservation::kKnown);
  const auto listed = rows_.list(name_[0]);
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ(listed->front().name, name_);
  EXPECT_EQ(listed->front().last_put_at, clock_.now());
  EXPECT_TRUE(rows_.list(static_cast<std::uint8_t>(name_[0] + 1))->empty());
}

TEST_P(BlobRowsTest, MarksOldBlobsOnly) {
  ASSERT_TRUE(rows_.reserve(name_));
  EXPECT_FALSE(mark(database_, rows_, name_, clock_.now()));
  EXPECT_FALSE(mark(database_, rows_, sha256("unknown"), clock_.now() + hours(1)));
  EXPECT_TRUE(mark(rows_));
  EXPECT_FALSE(mark(other_));
  EXPECT_TRUE(rows_.list(name_[0])->empty());
}

TEST_P(BlobRowsTest, RefusesMarkedBlobsUntilTheirRowIsGone) {
  ASSERT_TRUE(rows_.reserve(name_));
  ASSERT_TRUE(mark(rows_));
  EXPECT_EQ(*other_.reserve(name_), Reservation::kErasing);
  EXPECT_TRUE(other_.erasures(name_[0])->empty());
  const auto erasures = rows_.erasures(name_[0]);
  ASSERT_EQ(erasures->size(), 1U);
  ASSERT_TRUE(rows_.forget(erasures->front()));
  EXPECT_EQ(*other_.reserve(name_), Reservation::kNew);
}

TEST_P(BlobRowsTest, KeepsTheMarkOnlyIfTheTransactionCommits) {
  ASSERT_TRUE(rows_.reserve(name_));
  EXPECT_FALSE(database_->write([&](storage::Session& session) -> Result<void> {
    EXPECT_TRUE(*rows_.markErasing(session, name_, clock_.now() + seconds(1)));
    return Error::unavailable("rolled back");
  }));
  EXPECT_TRUE(rows_.erasures(name_[0])->empty());
  EXPECT_EQ(*rows_.reserve(name_), Reservation::kKnown);
}

TEST_P(BlobRowsTest, AnotherProcessContinuesForOneThatDied) {
  ASSERT_TRUE(rows_.reserve(name_));
  ASSERT_TRUE(mark(rows_));
  const BlobRows::Erasure first = rows_.erasures(name_[0])->front();
  clock_.advance(BlobRows::kErasingLimit + seconds(1));
  EXPECT_TRUE(rows_.erasures(name_[0])->empty());  // too late for the first one
  EXPECT_TRUE(other_.erasures(name_[0])->empty());
  EXPECT_EQ(*other_.reserve(name_), Reservation::kErasing);
  clock_.advance(BlobRows::kTakeover);
  const auto taken = other_.erasures(name_[0]);
  ASSERT_EQ(taken->size(), 1U);
  ASSERT_TRUE(rows_.forget(first));  // has no effect
  EXPECT_EQ(*rows_.reserve(name_), Reservation::kErasing);
  ASSERT_TRUE(other_.forget(taken->front()));
  EXPECT_EQ(*rows_.reserve(name_), Reservation::kNew);
}

TEST_P(BlobRowsTest, AWriterContinuesForACollectorThatDied) {
  ASSERT_TRUE(rows_.reserve(name_));
  ASSERT_TRUE(mark(rows_));
  clock_.advance(BlobRows::kTakeover + seconds(1));
  EXPECT_EQ(*other_.reserve(name_), Reservation::kKnown);
  EXPECT_TRUE(rows_.erasures(name_[0])->empty());
}

TEST_P(BlobRowsTest, AdoptsObjectsWithoutARow) {
  ASSERT_TRUE(rows_.reserve(name_));
  clock_.advance(hours(1));
  EXPECT_EQ(*rows_.adopt({name_, sha256("a"), sha256("b")}), 2);
  EXPECT_EQ(*rows_.adopt({name_, sha256("a")}), 0);
  EXPECT_EQ(*rows_.adopt({}), 0);
  EXPECT_EQ(rows_.list(sha256("a")[0])->front().last_put_at, clock_.now());
  EXPECT_EQ(rows_.list(name_[0])->front().last_put_at, clock_.now() - hours(1));
}

TEST_P(BlobRowsTest, NamesTheDatabase) {
  const std::string owner = *rows_.owner();
  EXPECT_FALSE(owner.empty());
  EXPECT_EQ(*other_.owner(), owner);
}

TEST_P(BlobRowsTest, RecordsComparisons) {
  EXPECT_TRUE(*rows_.comparisonDue(7, hours(24)));
  ASSERT_TRUE(rows_.recordComparison(7));
  EXPECT_FALSE(*other_.comparisonDue(7, hours(24)));
  EXPECT_TRUE(*other_.comparisonDue(8, hours(24)));
  clock_.advance(hours(24));
  EXPECT_TRUE(*other_.comparisonDue(7, hours(24)));
  ASSERT_TRUE(other_.recordComparison(7));
  EXPECT_FALSE(*rows_.comparisonDue(7, hours(24)));
}

INSTANTIATE_TEST_SUITE_P(Engines,
                         BlobRowsTest,
                         ::testing::Values(Engine::kSqlite, Engine::kPostgres),
                         [](const auto& engine) { return storage::nameOfEngine(engine.param); });

TEST(HexName, IsParsed) {
  const Sha256 name = sha256("x");
  EXPECT_EQ(parseHexName(toHex(name)), name);
  for (const std::string& text : {std::string(), std::string(63, 'a'), std::string(64, 'g'),
                                  std::string(64, 'A'), std::string(65, 'a')}) {
    EXPECT_FALSE(parseHexName(text)) << text;
  }
}

}  // namespace
}  // namespace spindle::s3
