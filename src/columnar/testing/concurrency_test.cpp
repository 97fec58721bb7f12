#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "columnar/testing/notes_for_test.h"

namespace spindle::columnar {
namespace {

constexpr int kAccounts = 40;
constexpr std::int64_t kMoney = 1000;

std::string account(unsigned number) { return "account " + std::to_string(number); }

StoreOptions busyOptions() {
  StoreOptions options;
  options.recent_rows = 300;  // many generations
  options.readers = 4;
  return options;
}

/// Moves money between accounts while the store flushes, removes rows and is read.
class ConcurrencyTest : public NotesTest {
 protected:
  ConcurrencyTest() : NotesTest(busyOptions()) {
    std::vector<Row> rows;
    for (int i = 0; i < kAccounts; ++i) {
      rows.push_back(note(account(static_cast<unsigned>(i)), 1'000'000 + i, ""));
      rows.back()[3] = kMoney;
    }
    EXPECT_TRUE(putRows(*store_, "bank", std::move(rows)));
  }

  Result<void> transfer(std::mt19937& random) {
    const std::string from = account(random() % kAccounts);
    const std::string to = account(random() % kAccounts);
    const std::int64_t amount = random() % 10;
    FunctionChange change(
        [&](Plan& plan) -> Result<void> {
          const auto add = [&plan](const std::string& id, std::int64_t money) {
            const Row* before = plan.find(kNotes, "bank", id);
            if (before == nullptr) return false;
            Row row = *before;
            row[3] = std::get<std::int64_t>(row[3]) + money;
            plan.put(kNotes, "bank", std::move(row));
            return true;
          };
          if (!add(from, -amount)) return Error::internal(from + " is gone");
          if (amount == 7) return Error::conflict("an unlucky number");
          if (!add(to, amount)) return Error::internal(to + " is gone");
          return {};
        },
        {{kNotes, "bank", from}, {kNotes, "bank", to}});
    return store_->write(change, 500);
  }

  void work(unsigned seed, int rounds) {
    std::mt19937 random(seed);
    for (int i = 0; i < rounds; ++i) {
      const Result<void> moved = transfer(random);
      EXPECT_TRUE(moved || moved.error().code() == ErrorCode::kConflict) << moved.error().message();
      const std::string id = std::to_string(seed) + "-" + std::to_string(i);
      EXPECT_TRUE(putRows(*store_, "log", {note(id, i, "x"), note(id + " twin", i, "x")}));
    }
  }

  void audit() {
    Result<Snapshot> now = store_->snapshot();
    ASSERT_TRUE(now) << now.error().message();
    const SqlText bank = now->from(kNotes, "bank");
    EXPECT_EQ(numberOf(*now, "SELECT sum(size) FROM " + bank + " AS n"), kAccounts * kMoney);
    EXPECT_EQ(numberOf(*now, "SELECT count(DISTINCT id) FROM " + bank + " AS n"), kAccounts);
    EXPECT_EQ(numberOf(*now, "SELECT count(*) FROM " + bank + " AS n"), kAccounts);
    const SqlText log = now->from(kNotes, "log");
    EXPECT_EQ(numberOf(*now, "SELECT count(*) FROM " + log + " AS n WHERE id LIKE '% twin'"),
              numberOf(*now, "SELECT count(*) FROM " + log + " AS n WHERE id NOT LIKE '% twin'"));
  }
};

TEST_F(ConcurrencyTest, SnapshotsAreConsistentDuringWritesAndFlushes) {
  std::atomic<bool> done{false};
  std::vector<std::thread> workers;
  std::vector<std::thread> others;
  workers.reserve(4);
  others.reserve(4);
  for (unsigned i = 0; i < 4; ++i) workers.emplace_back([this, i] { work(i, 80); });
  for (int i = 0; i < 2; ++i) {
    others.emplace_back([this, &done] {
      while (!done) audit();
    });
  }
  others.emplace_back([this, &done] {
    while (!done) {
      EXPECT_TRUE(store_->flush());
      std::this_thread::yield();
    }
  });
  others.emplace_back([this, &done] {
    for (int i = 0; !done; ++i) {
      const std::string name = "passing " + std::to_string(i % 3);
      EXPECT_TRUE(putRows(*store_, name, {note("a", i, "x"), note("b", i, "x")}));
      const bool gone =
          i % 2 == 0 ? store_->removeBefore(kNotes, name, "made", secondsAt(i + 1)).has_value()
                     : store_->dropPartition(name).has_value();
      EXPECT_TRUE(gone);
      EXPECT_EQ(readNotes(*store_, name).size(), 0U);
    }
  });
  for (std::thread& worker : workers) worker.join();
  done = true;
  for (std::thread& other : others) other.join();
  audit();
  store_.reopen();
  audit();
}

TEST_F(ConcurrencyTest, OpenCursorBlocksOthersOnlyBriefly) {
  std::vector<Row> rows;
  rows.reserve(20'000);
  for (int i = 0; i < 20'000; ++i) rows.push_back(note("n" + std::to_string(i), i, "x"));
  ASSERT_TRUE(putRows(*store_, "large", std::move(rows)));
  flush();
  Snapshot slow = snapshot();
  Result<Cursor> open = slow.query("SELECT id FROM " + slow.from(kNotes, "large") + " AS n");
  ASSERT_TRUE(open);
  ASSERT_TRUE(*open->next());
  put("large", note("another", 1, "x"));
  flush();  // the checkpoint times out
  EXPECT_EQ(read("large").size(), 20'001U);
  std::size_t count = 1;
  while (*open->next()) ++count;
  EXPECT_EQ(count, 20'000U);
}

}  // namespace
}  // namespace spindle::columnar
