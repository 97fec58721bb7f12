#include "agents/query/span_stats_json.h"

#include <vector>

#include <gtest/gtest.h>

#include "agents/query/span_time_for_test.h"

namespace spindle::agents {
namespace {

TEST(Granularity, FollowsTheRange) {
  struct Row {
    std::int64_t range;
    std::int64_t granularity;
  };
  constexpr std::int64_t kHour = 3600;
  constexpr std::int64_t kDay = 24 * kHour;
  for (const auto& [range, granularity] : std::vector<Row>{{1, 300},
                                                           {2 * kHour, 300},
                                                           {2 * kHour + 1, 3600},
                                                           {12 * kHour, 3600},
                                                           {12 * kHour + 1, 21'600},
                                                           {3 * kDay, 21'600},
                                                           {3 * kDay + 1, 43'200},
                                                           {14 * kDay, 43'200},
                                                           {14 * kDay + 1, 86'400},
                                                           {900 * kDay, 86'400}}) {
    EXPECT_EQ(automaticGranularity(at(0), at(static_cast<double>(range))), granularity) << range;
  }
}

}  // namespace
}  // namespace spindle::agents
