#include "agents/store/span_query.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace spindle::agents {
namespace {

TEST(Aggregations, AcceptOnlyFittingTypes) {
  struct Row {
    SpanAggregation aggregation;
    std::string types;  ///< n, s, b, d
  };
  for (const auto& [aggregation, types] :
       std::vector<Row>{{SpanAggregation::kSum, "n"},
                        {SpanAggregation::kAvg, "n"},
                        {SpanAggregation::kMin, "nd"},
                        {SpanAggregation::kMax, "nd"},
                        {SpanAggregation::kCount, "nsbd"},
                        {SpanAggregation::kCountDistinct, "nsbd"},
                        {SpanAggregation::kCountTrue, "b"},
                        {SpanAggregation::kCountFalse, "b"}}) {
    std::string fitting;
    if (fits(aggregation, ValueType::kNumber)) fitting += 'n';
    if (fits(aggregation, ValueType::kString)) fitting += 's';
    if (fits(aggregation, ValueType::kBoolean)) fitting += 'b';
    if (fits(aggregation, ValueType::kDateTime)) fitting += 'd';
    EXPECT_EQ(fitting, types) << nameOf(aggregation);
  }
}

}  // namespace
}  // namespace spindle::agents
