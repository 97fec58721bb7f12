// Logs the same rows on the embedded store and on ClickHouse, and compares what readers see.

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "columnar/testing/store_for_test.h"
#include "runs/clickhouse/clickhouse_history_for_test.h"
#include "runs/history_reader.h"
#include "runs/history_repository.h"
#include "runs/runs_for_test.h"
#include "runs/store/columnar_history_store.h"
#include "runs/store/history_row.h"

namespace spindle::runs {
namespace {

/// A run whose history is in one of the stores.
struct LoggedRun {
  LoggedRun(std::string run_id,
            storage::Database& database,
            HistoryStore& store,
            events::Outbox& outbox,
            const Clock& clock)
      : id(std::move(run_id)),
        history(database, store, outbox, nullptr, clock),
        reader(database, store) {}

  const std::string id;
  HistoryRepository history;
  HistoryReader reader;
};

class HistoryComparison : public RunsContract {
 protected:
  void SetUp() override {
    if (!clickhouse::DatabaseForTest::isAvailable())
      GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
    RunsContract::SetUp();
    clickhouse_ = std::make_unique<ClickHouseHistoryForTest>();
    runs_of_stores_.push_back(
        std::make_unique<LoggedRun>("embedded", *database_, embedded_, outbox_, clock_));
    runs_of_stores_.push_back(
        std::make_unique<LoggedRun>("many", *database_, clickhouse_->store(), outbox_, clock_));
    for (const auto& run : runs_of_stores_) started(run->id);
  }

  /// Appends the rows to both runs. @return the outcome, which is the same.
  std::string append(const HistoryRepository::Append& rows) {
    std::vector<std::string> outcomes;
    for (const auto& run : runs_of_stores_) {
      const auto appended = run->history.append(place_, run->id, Stream::kHistory, rows);
      outcomes.push_back(appended ? std::to_string(appended->accepted) + " of " +
                                        std::to_string(appended->line_count)
                                  : "refused: " + appended.error().message());
    }
    EXPECT_EQ(outcomes[0], outcomes[1]);
    return outcomes[0];
  }

  void comparePages(const HistoryQuery& query) {
    std::vector<HistoryPage> pages;
    for (const auto& run : runs_of_stores_) {
      Result<HistoryPage> page =
          run->reader.read({place_.project_id, run->id}, Stream::kHistory, query);
      ASSERT_TRUE(page) << page.error().message();
      pages.push_back(*std::move(page));
    }
    EXPECT_EQ(pages[0].rows, pages[1].rows);
    EXPECT_EQ(pages[0].next_line, pages[1].next_line);
  }

  void comparePlots(const SampleQuery& query) {
    std::vector<std::string> plots;
    for (const auto& run : runs_of_stores_) {
      const auto sampled =
          run->reader.sample({place_.project_id, run->id}, Stream::kHistory, query);
      ASSERT_TRUE(sampled) << sampled.error().message();
      std::string& text = plots.emplace_back();
      for (const SampledMetric& metric : *sampled) {
        text += metric.key + " " + std::to_string(metric.count) + ":";
        for (const SamplePoint& point : metric.points)
          text += " " + std::to_string(point.step) + "=" + std::to_string(point.mean.value_or(-1));
      }
    }
    EXPECT_EQ(plots[0], plots[1]);
  }

  columnar::StoreForTest columnar_{{historyFamily()}};
  ColumnarHistoryStore embedded_{*columnar_, 0};
  std::unique_ptr<ClickHouseHistoryForTest> clickhouse_;
  std::vector<std::unique_ptr<LoggedRun>> runs_of_stores_;
};

TEST_P(HistoryComparison, RowsPagesAndPlotsAreTheSame) {
  std::mt19937_64 random(3);
  const auto below = [&random](std::uint64_t end) { return random() % end; };
  std::int64_t last = -1;  // step of the last row
  std::int64_t lines = 0;
  int refused = 0;
  for (int i = 0; i < 24; ++i) {
    HistoryRepository::Append request;
    if (below(3) == 0) request.offset = lines - static_cast<std::int64_t>(below(3));
    if (request.offset && *request.offset < 0) request.offset = 0;
    const std::size_t count = below(4) == 0 ? 900 : 1 + below(200);
    for (std::size_t row = 0; row < count; ++row) {
      NewRow& fresh = request.rows.emplace_back();
      fresh.time = timestampOfMicros(1'700'000'000'000'000 + last);
      // Steps repeat, skip numbers and sometimes decrease.
      if (below(2) == 0) {
        last = std::max<std::int64_t>(0, last + static_cast<std::int64_t>(below(4)));
        fresh.step = last;
      } else {
        ++last;
      }
      if (below(2'000) == 0) fresh.step = 0;
      fresh.metrics = R"({"loss":)" + std::to_string(below(1000)) + ".5";
      if (below(3) == 0) fresh.metrics += R"(,"val":{"acc":)" + std::to_string(below(9)) + "}";
      if (below(5) == 0) fresh.metrics += R"(,"word":"w)" + std::to_string(below(4)) + "\"";
      if (below(50) == 0) fresh.metrics += R"(,"loss2":"NaN")";
      fresh.metrics += "}";
    }
    const std::string outcome = append(request);
    if (outcome.starts_with("refused")) {
      ++refused;
    } else {
      lines = std::stol(outcome.substr(outcome.find(" of ") + 4));
    }
    last = found("many").nextStep() - 1;
  }
  EXPECT_GT(lines, 2'000);
  EXPECT_GT(refused, 0);
  for (const std::vector<std::string>& keys : std::vector<std::vector<std::string>>{
           {}, {"word"}, {"val.acc", "loss2"}, {"loss2"}, {"unknown"}}) {
    for (const std::int64_t from : {0L, 700L, lines - 10}) {
      comparePages({.keys = keys, .limit = 500, .from_line = from});
      comparePages({.keys = keys, .min_step = from, .max_step = from + 300, .limit = 100});
    }
  }
  comparePlots({.keys = {"loss", "val.acc", "word", "loss2", "unknown"}, .points = 50});
  comparePlots({.keys = {"loss"}, .min_step = 300, .max_step = last / 2, .points = 1000});
  EXPECT_EQ(found("many").summary, found("embedded").summary);
}

INSTANTIATE_TEST_SUITE_P(Engines, HistoryComparison, ::testing::Values(storage::Engine::kSqlite));

}  // namespace
}  // namespace spindle::runs
