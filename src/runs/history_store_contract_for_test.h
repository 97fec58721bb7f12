#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/crypto/id.h"
#include "query/store_contract_for_test.h"
#include "runs/flat_rows.h"
#include "runs/history_store.h"

namespace spindle::runs {

/// A stream of a run, for the tests.
struct HistoryTarget {
  static constexpr std::int64_t kRun = 7;

  std::string project_id = "p";
  std::int64_t run_number = kRun;
  Stream stream = Stream::kHistory;
};

/// The tests that every implementation of HistoryStore must pass; see query::StoreContract.
class HistoryStoreContract : public query::StoreContract<HistoryStore> {
 protected:
  using Blocks = std::unordered_set<std::string>;
  using Target = HistoryTarget;
  using Steps = std::vector<std::int64_t>;
  using Values = std::vector<double>;

  static constexpr std::int64_t kLastStep = std::numeric_limits<std::int64_t>::max();

  /// A step with its metrics.
  using Line = std::pair<std::int64_t, std::string>;

  /// Writes a block one second after the previous one and returns its id.
  std::string write(const std::vector<Line>& lines, const Target& target = {}) {
    now_ += std::chrono::seconds(1);
    FlatRows rows(std::nullopt, now_, {});
    for (const auto& [step, metrics] : lines) {
      NewRow row;
      row.step = step;
      row.metrics = metrics;
      EXPECT_TRUE(rows.add(row, now_));
    }
    last_lines_ = rows.lines();
    std::string block = newUuid(now_);
    EXPECT_TRUE(
        store().write(target.project_id, target.run_number, target.stream, block, rows, now_));
    return block;
  }

  /// Returns the range of all blocks that the test wrote.
  HistoryRange range(const Target& target) const {
    HistoryRange range;
    range.project_id = target.project_id;
    range.run_number = target.run_number;
    range.stream = target.stream;
    range.since = start_;
    range.until = now_;
    return range;
  }

  Blocks blocksWith(const std::vector<std::string>& keys, const Target& target = {}) {
    Result<Blocks> blocks = store().blocksWith(range(target), keys);
    EXPECT_TRUE(blocks);
    return blocks ? *std::move(blocks) : Blocks();
  }

  /// Returns the numbers of a key, sorted by block.
  std::vector<StoredSeries> seriesOf(const std::string& key,
                                     std::int64_t min_step = 0,
                                     std::int64_t max_step = kLastStep,
                                     const Target& target = {}) {
    Result<std::vector<StoredSeries>> found =
        store().series(range(target), key, min_step, max_step);
    EXPECT_TRUE(found);
    if (!found) return {};
    std::sort(found->begin(), found->end(),
              [](const StoredSeries& a, const StoredSeries& b) { return a.block < b.block; });
    return *std::move(found);
  }

  bool hasLines(const std::string& block, const std::string& project_id = "p") {
    const Result<std::string> lines = store().lines(project_id, block);
    EXPECT_TRUE(lines || lines.error().code() == ErrorCode::kNotFound);
    return lines.has_value();
  }

  const Timestamp start_ = timestampOfMicros(1'700'000'000'000'000);
  Timestamp now_ = start_;
  std::string last_lines_;  ///< of the last write()
};

// NOLINTBEGIN(misc-definitions-in-headers): a test program includes this header in one file.

TEST_P(HistoryStoreContract, ReturnsTheLinesOfABlock) {
  const std::string first = write({{0, R"({"m":1})"}, {1, R"({"m":2,"word":"x"})"}});
  const std::string first_lines = last_lines_;
  flush();
  const std::string second = write({{2, R"({"m":3})"}});
  const Result<std::string> flushed = store().lines("p", first);
  ASSERT_TRUE(flushed);
  EXPECT_EQ(*flushed, first_lines);
  const Result<std::string> recent = store().lines("p", second);
  ASSERT_TRUE(recent);
  EXPECT_EQ(*recent, last_lines_);
  EXPECT_FALSE(hasLines(newUuid(now_)));
  EXPECT_FALSE(hasLines(first, "q"));
}

TEST_P(HistoryStoreContract, FindsBlocksByKey) {
  const std::string first = write({{0, R"({"m":1})"}, {1, R"({"word":"x"})"}});
  flush();
  const std::string second = write({{2, R"({"m":2,"rare":3})"}});
  EXPECT_EQ(blocksWith({"m"}), (Blocks{first, second}));
  EXPECT_EQ(blocksWith({"word"}), Blocks{first});
  EXPECT_EQ(blocksWith({"rare", "none"}), Blocks{second});
  EXPECT_EQ(blocksWith({"word", "rare"}), (Blocks{first, second}));
  EXPECT_EQ(blocksWith({"none"}), Blocks());
}

TEST_P(HistoryStoreContract, ReturnsTheNumbersOfAKey) {
  const std::string first =
      write({{0, R"({"m":1})"}, {1, R"({"m":2.5})"}, {4, R"({"n":1})"}, {5, R"({"m":-3})"}});
  flush();
  const std::string second = write({{5, R"({"m":8})"}, {6, R"({"m":9})"}});
  const std::vector<StoredSeries> found = seriesOf("m");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].block, first);
  EXPECT_EQ(found[0].steps, (Steps{0, 1, 5}));
  EXPECT_EQ(found[0].values, (Values{1, 2.5, -3}));
  EXPECT_EQ(found[1].block, second);
  EXPECT_EQ(found[1].steps, (Steps{5, 6}));
  EXPECT_EQ(found[1].values, (Values{8, 9}));
  EXPECT_TRUE(seriesOf("none").empty());
}

TEST_P(HistoryStoreContract, ReturnsBlocksThatOverlapTheSteps) {
  write({{0, R"({"m":1})"}, {5, R"({"m":2})"}});
  const std::string second = write({{6, R"({"m":3})"}, {9, R"({"m":4})"}});
  EXPECT_EQ(seriesOf("m", 5, 6).size(), 2U);
  ASSERT_EQ(seriesOf("m", 6).size(), 1U);
  EXPECT_EQ(seriesOf("m", 6)[0].block, second);
  EXPECT_EQ(seriesOf("m", 0, 5).size(), 1U);
  EXPECT_TRUE(seriesOf("m", 10).empty());
}

TEST_P(HistoryStoreContract, TextsHaveNoNumbers) {
  const std::string block = write({{0, R"({"word":"x"})"}, {1, R"({"word":"y"})"}});
  EXPECT_EQ(blocksWith({"word"}), Blocks{block});
  EXPECT_TRUE(seriesOf("word").empty());
}

TEST_P(HistoryStoreContract, SeparatesProjectsRunsAndStreams) {
  const Target other_run{.run_number = Target::kRun + 1};
  const Target other_stream{.stream = Stream::kSystem};
  const Target other_project{.project_id = "q"};
  std::vector<std::pair<Target, std::string>> written;
  double number = 0;
  for (const Target& target : {Target(), other_run, other_stream, other_project}) {
    written.emplace_back(target, write({{0, R"({"m":)" + std::to_string(++number) + "}"}}, target));
  }
  number = 0;
  for (const auto& [target, block] : written) {
    EXPECT_EQ(blocksWith({"m"}, target), Blocks{block});
    const std::vector<StoredSeries> found = seriesOf("m", 0, kLastStep, target);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].values, Values{++number});
  }
}

TEST_P(HistoryStoreContract, ReturnsBlocksOfATimeRange) {
  write({{0, R"({"m":1})"}});
  now_ += std::chrono::hours(5);
  const std::string late = write({{1, R"({"m":2})"}});
  const Target target;
  HistoryRange recent = range(target);
  recent.since = now_ - std::chrono::hours(1);
  const Result<Blocks> blocks = store().blocksWith(recent, {"m"});
  ASSERT_TRUE(blocks);
  EXPECT_EQ(*blocks, Blocks{late});
  const Result<std::vector<StoredSeries>> found = store().series(recent, "m", 0, kLastStep);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->size(), 1U);
  EXPECT_EQ(blocksWith({"m"}).size(), 2U);
}

TEST_P(HistoryStoreContract, RemovesTheBlocksOfARun) {
  const Target other{.run_number = Target::kRun + 1};
  const std::string first = write({{0, R"({"m":1})"}});
  flush();
  const std::string second = write({{1, R"({"m":2})"}});
  const std::string kept = write({{0, R"({"m":3})"}}, other);
  ASSERT_TRUE(store().remove("p", Target::kRun));
  EXPECT_FALSE(hasLines(first));
  EXPECT_FALSE(hasLines(second));
  EXPECT_TRUE(blocksWith({"m"}).empty());
  EXPECT_TRUE(seriesOf("m").empty());
  EXPECT_TRUE(hasLines(kept));
  EXPECT_EQ(blocksWith({"m"}, other), Blocks{kept});
  EXPECT_TRUE(store().remove("p", Target::kRun));
}

// NOLINTEND(misc-definitions-in-headers)

}  // namespace spindle::runs
