#include "tracing/analysis/query_cost.h"

#include <string>

#include <gtest/gtest.h>

#include "query/codec.h"
#include "schema/parse.h"

namespace spindle::tracing {
namespace {

SplitQuery split(const std::string& expression) {
  return splitByCost(*schema::parse(query::queryCodec(), R"({"$expr":)" + expression + "}"));
}

std::size_t conditions(const std::optional<query::Query>& query) {
  return query ? query->expression.operands.size() : 0;
}

TEST(QueryCostTest, DividesTheConditionsOfAConjunction) {
  const SplitQuery parts = split(R"({"$and":[
      {"$eq":[{"$getField":"op_name"},{"$literal":"a"}]},
      {"$eq":[{"$getField":"summary.svc.status"},{"$literal":"error"}]},
      {"$eq":[{"$getField":"attributes.tenant"},{"$literal":"t"}]},
      {"$not":[{"$eq":[{"$getField":"feedback.[x].payload"},{"$literal":"t"}]}]}]})");
  EXPECT_EQ(conditions(parts.fast), 2U);
  EXPECT_EQ(conditions(parts.slow), 2U);
}

TEST(QueryCostTest, KeepsAnOtherOperationWhole) {
  const SplitQuery fast = split(R"({"$gt":[{"$getField":"started_at"},{"$literal":1}]})");
  EXPECT_EQ(conditions(fast.fast), 1U);
  EXPECT_EQ(conditions(fast.slow), 0U);
  const SplitQuery mixed = split(R"({"$or":[
      {"$eq":[{"$getField":"op_name"},{"$literal":"a"}]},
      {"$eq":[{"$getField":"output"},{"$literal":"a"}]}]})");
  EXPECT_EQ(conditions(mixed.fast), 0U);
  EXPECT_EQ(conditions(mixed.slow), 1U);
}

}  // namespace
}  // namespace spindle::tracing
