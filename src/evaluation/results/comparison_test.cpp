#include "evaluation/results/comparison.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace spindle::evaluation {
namespace {

std::vector<PairedRow> sample() {
  return {{"a", 0.5, 1.0}, {"b", 1.0, 0.25}, {"c", 0.75, 0.75},
          {"d", 1.0, 0.0}, {"e", 0.0, 0.5},  {"f", 0.5, 0.25}};
}

TEST(Comparison, GeneratorMatchesReferenceNumbers) {
  SplitMix64 random(1234567);  // the numbers of the generator's published vectors
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  EXPECT_EQ(random.next(), 9817491932198370423U);
}

TEST(Comparison, CountsAndAveragesRowByRow) {
  const PairedComparison found = comparePaired(sample(), {});
  EXPECT_EQ(found.rows, 6U);
  EXPECT_EQ(found.wins, 2U);
  EXPECT_EQ(found.ties, 1U);
  EXPECT_EQ(found.losses, 3U);
  EXPECT_DOUBLE_EQ(*found.baseline_mean, 3.75 / 6);
  EXPECT_DOUBLE_EQ(*found.mean, 2.75 / 6);
  EXPECT_DOUBLE_EQ(*found.mean_difference, -1.0 / 6);
}

/// Checks against a second implementation: all draws first, then order statistics.
TEST(Comparison, HasTheIntervalOfAReferenceBootstrap) {
  const std::vector<PairedRow> rows = sample();
  for (const std::uint64_t seed : {0U, 7U}) {
    for (const double confidence : {0.95, 0.8}) {
      constexpr std::size_t kResamples = 501;
      SplitMix64 random(seed);
      std::vector<std::size_t> draws(kResamples * rows.size());
      for (std::size_t& draw : draws) draw = random.next() % rows.size();
      std::vector<double> means;
      for (std::size_t i = 0; i < kResamples; ++i) {
        means.push_back(
            std::accumulate(draws.begin() + static_cast<std::ptrdiff_t>(i * rows.size()),
                            draws.begin() + static_cast<std::ptrdiff_t>((i + 1) * rows.size()), 0.0,
                            [&rows](double sum, std::size_t draw) {
                              return sum + rows[draw].value - rows[draw].baseline;
                            }) /
            static_cast<double>(rows.size()));
      }
      std::sort(means.begin(), means.end());
      const auto at = [&means](double fraction) {
        const double place = fraction * 500;
        const double whole = std::floor(place);
        const auto index = static_cast<std::size_t>(whole);
        return means[index] * (1 - (place - whole)) +
               means[std::min<std::size_t>(index + 1, 500)] * (place - whole);
      };
      const PairedComparison found = comparePaired(rows, {.confidence = confidence,
                                                          .resamples = kResamples,
                                                          .seed = static_cast<std::int64_t>(seed)});
      EXPECT_NEAR(found.interval->low, at((1 - confidence) / 2), 1e-12);
      EXPECT_NEAR(found.interval->high, at((1 + confidence) / 2), 1e-12);
      EXPECT_LE(found.interval->low, *found.mean_difference);
      EXPECT_GE(found.interval->high, *found.mean_difference);
    }
  }
}

TEST(Comparison, EqualRunsHaveNoDifference) {
  const PairedComparison found = comparePaired({{"a", 1, 1}, {"b", 0, 0}}, {});
  EXPECT_EQ(found.ties, 2U);
  EXPECT_EQ(*found.mean_difference, 0);
  EXPECT_EQ(found.interval->low, 0);
  EXPECT_EQ(found.interval->high, 0);
}

TEST(Comparison, NoRowsGiveNoMeans) {
  const PairedComparison found = comparePaired({}, {});
  EXPECT_EQ(found.rows, 0U);
  EXPECT_FALSE(found.mean_difference || found.interval || found.mean || found.baseline_mean);
}

TEST(Comparison, ListsTheWorstRowsFirst) {
  std::vector<std::string> digests;
  for (const PairedRow& row : worseRows(sample())) digests.push_back(row.row_digest);
  EXPECT_EQ(digests, (std::vector<std::string>{"d", "b", "f"}));
}

}  // namespace
}  // namespace spindle::evaluation
