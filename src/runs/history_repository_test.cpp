#include "runs/history_repository.h"

#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "columnar/testing/store_for_test.h"
#include "runs/flat_rows.h"
#include "runs/history_reader.h"
#include "runs/runs_for_test.h"
#include "runs/store/columnar_history_store.h"
#include "runs/store/history_row.h"

namespace spindle::runs {
namespace {

using Append = HistoryRepository::Append;
using Appended = HistoryRepository::Appended;

NewRow row(std::string metrics, std::optional<std::int64_t> step = {}) {
  NewRow fresh;
  fresh.step = step;
  fresh.time = timestampOfMicros(1'700'000'000'000'000);
  fresh.metrics = std::move(metrics);
  return fresh;
}

class HistoryRepositoryTest : public RunsContract {
 protected:
  Result<Appended> append(const std::string& run_id,
                          std::vector<NewRow> rows,
                          std::optional<std::int64_t> offset = {},
                          Stream stream = Stream::kHistory) {
    return history_.append(place_, run_id, stream, {offset, std::move(rows)});
  }
  /// Returns rows of one metric `m` with the values `first`, `first` + 1, ….
  static std::vector<NewRow> numbered(std::int64_t first, std::int64_t count) {
    std::vector<NewRow> rows;
    for (std::int64_t i = first; i < first + count; ++i) {
      rows.push_back(row(R"({"m":)" + std::to_string(i) + "}"));
    }
    return rows;
  }
  /// Reads a page and returns its rows without `_timestamp` and `_runtime`.
  Words shown(const std::string& run_id,
              const HistoryQuery& query = {},
              Stream stream = Stream::kHistory) {
    const Result<HistoryPage> page = reader_.read({place_.project_id, run_id}, stream, query);
    EXPECT_TRUE(page) << (page ? "" : page.error().message());
    if (!page) return {};
    next_line_ = page->next_line;
    Words rows;
    for (const std::string& one : page->rows) {
      const std::size_t begin = one.find(",\"_timestamp\"");
      std::size_t end = one.find("\"_runtime\":") + 1;
      end = std::min(one.find(',', end), one.size() - 1);
      rows.push_back(one.substr(0, begin) + one.substr(end));
    }
    return rows;
  }
  std::vector<SampledMetric> sampled(const std::string& run_id, const SampleQuery& query) {
    Result<std::vector<SampledMetric>> metrics =
        reader_.sample({place_.project_id, run_id}, Stream::kHistory, query);
    EXPECT_TRUE(metrics) << (metrics ? "" : metrics.error().message());
    return metrics ? *std::move(metrics) : std::vector<SampledMetric>();
  }
  template <class T>
  static std::string violationOf(const Result<T>& result) {
    if (result || result.error().violations().empty()) return {};
    const Violation& first = result.error().violations().front();
    std::string text = first.type + " at";
    for (const LocStep& step : first.loc) {
      const auto* name = std::get_if<std::string>(&step);
      text += " " + (name != nullptr ? *name : std::to_string(std::get<std::int64_t>(step)));
    }
    return text;
  }

  columnar::StoreForTest columnar_{{historyFamily()}};
  ColumnarHistoryStore store_{*columnar_, 0};
  HistoryRepository history_{*database_, store_, outbox_, &observer_, clock_};
  HistoryReader reader_{*database_, store_};
  std::optional<std::int64_t> next_line_;
};

TEST_P(HistoryRepositoryTest, RowsAreReadBackByStep) {
  started("r1");
  const Result<Appended> appended =
      append("r1", {row(R"({"loss":0.5,"val":{"acc":1}})"), row(R"({"loss":0.25})", 7)});
  ASSERT_TRUE(appended);
  EXPECT_EQ(appended->accepted, 2);
  EXPECT_EQ(appended->ignored, 0);
  EXPECT_EQ(appended->next_step, 8);
  EXPECT_EQ(appended->line_count, 2);
  EXPECT_FALSE(appended->stop_requested);
  EXPECT_EQ(shown("r1"),
            (Words{R"({"_step":0,"loss":0.5,"val.acc":1})", R"({"_step":7,"loss":0.25})"}));
  const runs::Run run = found("r1");
  EXPECT_EQ(run.history_line_count, 2);
  EXPECT_EQ(run.last_step, 7);
  EXPECT_EQ(run.nextStep(), 8);
  EXPECT_EQ(run.summary, R"({"loss":0.25,"val.acc":1})");
}

TEST_P(HistoryRepositoryTest, RepeatedStepIsMergedIntoItsRow) {
  started("r1");
  ASSERT_TRUE(append("r1", {row(R"({"a":1,"b":1})", 3)}));
  const Result<Appended> merged = append("r1", {row(R"({"b":2,"c":3})", 3)});
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->accepted, 1);
  EXPECT_EQ(merged->next_step, 4);
  EXPECT_EQ(shown("r1"), (Words{R"({"_step":3,"a":1,"b":2,"c":3})"}));
}

TEST_P(HistoryRepositoryTest, DecreasingStepRejectsTheWholeBatch) {
  started("r1");
  ASSERT_TRUE(append("r1", {row(R"({"a":1})", 5)}));
  EXPECT_EQ(violationOf(append("r1", {row(R"({"a":2})", 6), row(R"({"a":3})", 4)})),
            "step_out_of_order at body rows 1 step");
  EXPECT_EQ(shown("r1"), (Words{R"({"_step":5,"a":1})"}));
  EXPECT_EQ(found("r1").history_line_count, 1);
}

TEST_P(HistoryRepositoryTest, RejectsTooManyKeysInOneRequest) {
  const auto wide = [](int keys) {
    std::string metrics = "{";
    for (int i = 0; i < keys; ++i) {
      metrics.append(i == 0 ? "\"" : ",\"").append(std::to_string(i)).append("\":1");
    }
    return row(metrics + "}");
  };
  started("r1");
  EXPECT_EQ(violationOf(append("r1", {wide(20'000)})), "too_long at body rows");
  EXPECT_EQ(found("r1").history_line_count, 0);
  ASSERT_TRUE(append("r1", {wide(19'000)}));
  EXPECT_EQ(sampled("r1", {.keys = {"18999"}}).at(0).count, 1);
}

TEST_P(HistoryRepositoryTest, IgnoresLinesThatAreStoredAlready) {
  started("r1");
  ASSERT_TRUE(append("r1", numbered(0, 3), 0));
  const Result<Appended> overlapping = append("r1", numbered(1, 4), 1);
  ASSERT_TRUE(overlapping);
  EXPECT_EQ(overlapping->ignored, 2);
  EXPECT_EQ(overlapping->accepted, 2);
  EXPECT_EQ(overlapping->line_count, 5);
  const Result<Appended> again = append("r1", numbered(0, 5), 0);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->ignored, 5);
  EXPECT_EQ(again->accepted, 0);
  EXPECT_EQ(again->next_step, 5);
  EXPECT_EQ(again->line_count, 5);
  EXPECT_EQ(shown("r1").size(), 5U);
}

TEST_P(HistoryRepositoryTest, RejectsOffsetBeyondTheLastLine) {
  started("r1");
  const Result<Appended> gap = append("r1", numbered(0, 1), 1);
  EXPECT_EQ(reasonOf(gap), "offset_gap");
  EXPECT_EQ(gap.error().members().at(0).second, "0");
}

TEST_P(HistoryRepositoryTest, AppendsRowsWithoutAnOffset) {
  started("r1");
  ASSERT_TRUE(append("r1", numbered(0, 2)));
  ASSERT_TRUE(append("r1", numbered(0, 2)));
  EXPECT_EQ(shown("r1").size(), 4U);
}

TEST_P(HistoryRepositoryTest, RowsCountAsHeartbeatAndStartAPendingRun) {
  NewRun fresh;
  fresh.run_id = "r1";
  fresh.pending = true;
  started(fresh);
  clock_.advance(std::chrono::minutes(1));
  ASSERT_TRUE(append("r1", numbered(0, 1)));
  EXPECT_EQ(found("r1").state, RunState::kRunning);
  EXPECT_EQ(found("r1").heartbeat_at, clock_.now());
  EXPECT_EQ(raisedStates(), (Words{"r1 RUNNING"}));
  ASSERT_TRUE(append("r1", numbered(0, 1)));
  EXPECT_EQ(raisedStates(), Words());
}

TEST_P(HistoryRepositoryTest, RejectsRowsOfAnEndedRun) {
  started("r1");
  ASSERT_TRUE(runs_.finish(place_, "r1", {0, {}, false}));
  EXPECT_EQ(reasonOf(append("r1", numbered(0, 1))), "run_not_active");
  EXPECT_EQ(codeOf(append("nobody", numbered(0, 1))), ErrorCode::kNotFound);
  ASSERT_TRUE(started("r1").number);
  EXPECT_TRUE(append("r1", numbered(0, 1)));
}

TEST_P(HistoryRepositoryTest, ReturnsStopRequest) {
  started("r1");
  ASSERT_TRUE(runs_.requestStop({place_.project_id, "r1"}));
  EXPECT_TRUE(append("r1", numbered(0, 1))->stop_requested);
}

TEST_P(HistoryRepositoryTest, StepsContinueAfterAResume) {
  started("r1");
  ASSERT_TRUE(append("r1", {row("{}", 41)}));
  ASSERT_TRUE(runs_.finish(place_, "r1", {1, {}, false}));
  const runs::Run resumed = started("r1");
  EXPECT_EQ(resumed.nextStep(), 42);
  EXPECT_EQ(resumed.history_line_count, 1);
  EXPECT_EQ(append("r1", {row("{}")})->next_step, 43);
}

TEST_P(HistoryRepositoryTest, ReadsTheSameLinesFromBlocksAndTail) {
  started("r1");
  // One block from one large append, one from many small appends, and a tail.
  ASSERT_TRUE(append("r1", numbered(0, 1000)));
  for (std::int64_t at = 1000; at < 2250; at += 50) ASSERT_TRUE(append("r1", numbered(at, 50)));
  EXPECT_EQ(found("r1").history_line_count, 2250);
  Words all;
  HistoryQuery query;
  query.limit = 400;
  do {
    const Words page = shown("r1", query);
    all.insert(all.end(), page.begin(), page.end());
    query.from_line = next_line_.value_or(0);
  } while (next_line_);
  ASSERT_EQ(all.size(), 2250U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string number = std::to_string(i);
    ASSERT_EQ(all[i], R"({"_step":)" + number + R"(,"m":)" + number + "}");
  }
}

TEST_P(HistoryRepositoryTest, BlocksSurviveAFlushAndARestart) {
  started("r1");
  ASSERT_TRUE(append("r1", numbered(0, 1000)));
  ASSERT_TRUE(columnar_->flush());
  ASSERT_TRUE(append("r1", numbered(1000, 1000)));
  columnar_.reopen();
  ColumnarHistoryStore reopened(*columnar_, 0);
  HistoryReader reader(*database_, reopened);
  HistoryQuery query;
  query.min_step = 999;
  query.max_step = 1000;
  const Result<HistoryPage> page = reader.read({place_.project_id, "r1"}, Stream::kHistory, query);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->rows.size(), 2U);
}

TEST_P(HistoryRepositoryTest, RepeatedStepIsMergedAcrossBlocks) {
  started("r1");
  ASSERT_TRUE(append("r1", numbered(0, 1000)));
  std::vector<NewRow> more = numbered(1000, 1000);
  more.insert(more.begin(), row(R"({"extra":1})", 999));
  ASSERT_TRUE(append("r1", std::move(more)));
  HistoryQuery query;
  query.min_step = 999;
  query.max_step = 999;
  EXPECT_EQ(shown("r1", query), (Words{R"({"_step":999,"m":999,"extra":1})"}));
  EXPECT_EQ(sampled("r1", {.keys = {"m"}, .points = 5000}).at(0).count, 2000);
}

TEST_P(HistoryRepositoryTest, FiltersPagesByStepsAndKeys) {
  started("r1");
  ASSERT_TRUE(append(
      "r1", {row(R"({"a":1})"), row(R"({"b":"x"})"), row(R"({"a":2,"b":3})"), row(R"({"c":4})")}));
  HistoryQuery query;
  query.keys = {"b", "c"};
  EXPECT_EQ(shown("r1", query),
            (Words{R"({"_step":1,"b":"x"})", R"({"_step":2,"b":3})", R"({"_step":3,"c":4})"}));
  query.min_step = 2;
  EXPECT_EQ(shown("r1", query).size(), 2U);
  query.max_step = 2;
  EXPECT_EQ(shown("r1", query), (Words{R"({"_step":2,"b":3})"}));
  query.keys = {"none"};
  EXPECT_EQ(shown("r1", query), Words());
}

TEST_P(HistoryRepositoryTest, FindsARareKeyInManyBlocks) {
  started("r1");
  for (int block = 0; block < 4; ++block) {
    std::vector<NewRow> rows = numbered(0, 1000);
    if (block == 2) rows[500] = row(R"({"rare":"word"})");
    ASSERT_TRUE(append("r1", std::move(rows)));
  }
  HistoryQuery query;
  query.keys = {"rare"};
  EXPECT_EQ(shown("r1", query), (Words{R"({"_step":2500,"rare":"word"})"}));
}

TEST_P(HistoryRepositoryTest, PageEndsBetweenRows) {
  started("r1");
  ASSERT_TRUE(append("r1", {row(R"({"a":1})", 0), row(R"({"b":2})", 0), row(R"({"a":3})", 1)}));
  HistoryQuery query;
  query.limit = 1;
  EXPECT_EQ(shown("r1", query), (Words{R"({"_step":0,"a":1,"b":2})"}));
  EXPECT_EQ(next_line_, 2);
  query.from_line = 2;
  EXPECT_EQ(shown("r1", query), (Words{R"({"_step":1,"a":3})"}));
  EXPECT_EQ(next_line_, std::nullopt);
}

TEST_P(HistoryRepositoryTest, SamplesBlocksAndTail) {
  started("r1");
  for (std::int64_t at = 0; at < 5500; at += 500) ASSERT_TRUE(append("r1", numbered(at, 500)));
  const std::vector<SampledMetric> metrics = sampled("r1", {.keys = {"m", "none"}, .points = 11});
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics[0].key, "m");
  EXPECT_EQ(metrics[0].count, 5500);
  ASSERT_EQ(metrics[0].points.size(), 11U);
  for (std::int64_t i = 0; i < 11; ++i) {
    const SamplePoint& point = metrics[0].points[static_cast<std::size_t>(i)];
    EXPECT_EQ(point.step, i * 500);
    EXPECT_EQ(point.min, static_cast<double>(i * 500));
    EXPECT_EQ(point.max, static_cast<double>(i * 500 + 499));
    EXPECT_EQ(point.mean, static_cast<double>(i * 500) + 249.5);
    EXPECT_EQ(point.count, 500);
  }
  EXPECT_EQ(metrics[1].count, 0);
  EXPECT_TRUE(metrics[1].points.empty());
}

TEST_P(HistoryRepositoryTest, SamplesARangeOfSteps) {
  started("r1");
  ASSERT_TRUE(append("r1", numbered(0, 1000)));
  ASSERT_TRUE(append("r1", numbered(1000, 10)));
  SampleQuery query{.keys = {"m"}, .points = 100};
  query.min_step = 998;
  query.max_step = 1001;
  const std::vector<SampledMetric> metrics = sampled("r1", query);
  ASSERT_EQ(metrics.at(0).points.size(), 4U);
  EXPECT_EQ(metrics[0].points.front().step, 998);
  EXPECT_EQ(metrics[0].points.back().last, 1001);
  query.min_step = 5000;
  query.max_step = 6000;
  EXPECT_EQ(sampled("r1", query).at(0).count, 0);
}

TEST_P(HistoryRepositoryTest, SystemMetricsHaveSeparateLinesAndSteps) {
  started("r1");
  ASSERT_TRUE(append("r1", numbered(0, 5)));
  const Result<Appended> system =
      append("r1", {row(R"({"cpu":0.5,"system.gpu":{"0":1}})")}, 0, Stream::kSystem);
  ASSERT_TRUE(system);
  EXPECT_EQ(system->line_count, 1);
  EXPECT_EQ(system->next_step, 1);
  EXPECT_EQ(shown("r1", {}, Stream::kSystem),
            (Words{R"({"_step":0,"system.cpu":0.5,"system.gpu.0":1})"}));
  EXPECT_EQ(found("r1").history_line_count, 5);
  EXPECT_EQ(found("r1").summary, R"({"m":4})");
}

TEST_P(HistoryRepositoryTest, SummaryAppliesMetricRules) {
  NewRun fresh;
  fresh.run_id = "r1";
  fresh.metric_rules = R"({"m":{"summary":"max"},"n":{"summary":"none"}})";
  started(fresh);
  ASSERT_TRUE(append("r1", {row(R"({"m":3,"n":1})"), row(R"({"m":2})")}));
  ASSERT_TRUE(append("r1", {row(R"({"m":1,"k":true})")}));
  EXPECT_EQ(found("r1").summary, R"({"m":3,"k":true})");
}

TEST_P(HistoryRepositoryTest, ObserverReceivesEveryAcceptedRowOnce) {
  observer_.watching = true;
  started("r1");
  ASSERT_TRUE(append("r1", {row(R"({"a":1,"t":"x"})"), row(R"({"a":"NaN"})")}, 0));
  ASSERT_TRUE(append("r1", {row(R"({"a":1})"), row(R"({"a":2})"), row(R"({"b":3})")}, 0));
  ASSERT_TRUE(append("r1", {row(R"({"cpu":4})")}, 0, Stream::kSystem));
  ASSERT_EQ(observer_.seen.size(), 4U);
  using Metrics = std::vector<std::pair<std::string, double>>;
  EXPECT_EQ(observer_.seen[0].metrics, (Metrics{{"a", 1}}));
  EXPECT_EQ(observer_.seen[0].time, timestampOfMicros(1'700'000'000'000'000));
  ASSERT_EQ(observer_.seen[1].metrics.size(), 1U);
  EXPECT_TRUE(std::isnan(observer_.seen[1].metrics[0].second));
  EXPECT_EQ(observer_.seen[2].step, 2);
  EXPECT_EQ(observer_.seen[2].metrics, (Metrics{{"b", 3}}));
  EXPECT_EQ(observer_.seen[3].metrics, (Metrics{{"system.cpu", 4}}));
  EXPECT_EQ(observer_.last_run.run_id, "r1");
  EXPECT_EQ(observer_.last_run.entity, "team");
  EXPECT_EQ(observer_.last_run.project, "project");
  EXPECT_EQ(observer_.last_run.owner, "anna");
  EXPECT_EQ(observer_.last_run.owner_id, actor_.user_id);
  EXPECT_EQ(observer_.last_run.team_id, place_.team_id);
  EXPECT_FALSE(observer_.last_run.name.empty());
}

TEST_P(HistoryRepositoryTest, ObserverReceivesNothingIfItDoesNotWatch) {
  started("r1");
  ASSERT_TRUE(append("r1", numbered(0, 2)));
  EXPECT_TRUE(observer_.seen.empty());
}

TEST_P(HistoryRepositoryTest, IgnoresBlocksThatWereNotRecorded) {
  observer_.watching = true;
  started("r1");
  ASSERT_TRUE(append("r1", numbered(0, 10), 0));
  observer_.refusal = Error::unavailable("stop here");
  std::vector<NewRow> lost = numbered(10, 1500);
  for (NewRow& one : lost) one.metrics = R"({"m":-1,"lost":1})";
  EXPECT_EQ(codeOf(append("r1", lost, 10)), ErrorCode::kUnavailable);
  EXPECT_EQ(found("r1").history_line_count, 10);
  observer_.refusal.reset();
  ASSERT_TRUE(append("r1", numbered(10, 1500), 10));
  const std::vector<SampledMetric> metrics =
      sampled("r1", {.keys = {"m", "lost"}, .points = 10'000});
  EXPECT_EQ(metrics.at(0).count, 1510);
  EXPECT_EQ(metrics.at(0).points.at(10).min, 10);
  EXPECT_EQ(metrics.at(1).count, 0);
  HistoryQuery query;
  query.limit = 1000;
  query.keys = {"lost"};
  EXPECT_EQ(shown("r1", query), Words());
}

TEST_P(HistoryRepositoryTest, StoresConcurrentRowsExactlyOnce) {
  constexpr int kClients = 4;
  constexpr int kBatches = 10;
  started("r1");
  std::vector<std::thread> clients;
  clients.reserve(kClients);
  std::vector<int> failures(kClients, 0);
  for (int client = 0; client < kClients; ++client) {
    clients.emplace_back([this, client, &failures] {
      for (int i = 0; i < kBatches; ++i) {
        if (!append("r1", numbered(0, 60))) ++failures[static_cast<std::size_t>(client)];
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(failures, std::vector<int>(kClients, 0));
  EXPECT_EQ(found("r1").history_line_count, kClients * kBatches * 60);
  EXPECT_EQ(found("r1").last_step, kClients * kBatches * 60 - 1);
  EXPECT_EQ(sampled("r1", {.keys = {"m"}, .points = 10'000}).at(0).count, kClients * kBatches * 60);
}

TEST_P(HistoryRepositoryTest, DeletesTheBlocksOfARemovedRun) {
  const runs::Run first = started("r1");
  ASSERT_TRUE(append("r1", numbered(0, 1000)));
  ASSERT_TRUE(columnar_->flush());
  ASSERT_TRUE(append("r1", numbered(0, 1000)));
  started("r2");
  ASSERT_TRUE(append("r2", numbered(0, 1000)));
  ASSERT_TRUE(runs_.remove({place_.project_id, "r1"}));
  ASSERT_TRUE(history_.deleteOrphanedHistory());
  HistoryRange place;
  place.project_id = place_.project_id;
  place.run_number = first.number;
  place.until = clock_.now();
  EXPECT_TRUE(store_.blocksWith(place, {"m"})->empty());
  EXPECT_EQ(sampled("r2", {.keys = {"m"}}).at(0).count, 1000);
  // A new run with the same id starts with an empty history.
  started("r1");
  EXPECT_EQ(shown("r1"), Words());
}

TEST_P(HistoryRepositoryTest, MissingRunHasNoHistory) {
  EXPECT_EQ(codeOf(reader_.read({place_.project_id, "none"}, Stream::kHistory, {})),
            ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(reader_.sample({place_.project_id, "none"}, Stream::kHistory, {.keys = {"m"}})),
            ErrorCode::kNotFound);
}

SPINDLE_ON_BOTH_ENGINES(HistoryRepositoryTest);

}  // namespace
}  // namespace spindle::runs
