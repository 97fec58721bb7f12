#include "tracing/clickhouse/call_table.h"

#include <limits>

#include <gtest/gtest.h>

#include "base/crypto/id.h"

namespace spindle::tracing {
namespace {

TEST(CallTable, ReadsTheTimeOfAnId) {
  const Timestamp now = timestampOfMicros(1'727'999'999'123'000);
  EXPECT_EQ(idTime(newUuid(now)), 1'727'999'999'123);
  EXPECT_EQ(idTime("019252D8-5A93-7000-8000-000000000000"), 0x019252D85A93);
  for (const char* const id :
       {"", "call1", "019252d8-5a93-4000-8000-000000000000", "019252d8x5a93-7000-8000-000000000000",
        "g19252d8-5a93-7000-8000-000000000000", "000000000000-7000-8000-000000000000-xxxx",
        "00000000-0000-7000-8000-000000000000", "ffffffff-ffff-7000-8000-000000000000"})
    EXPECT_EQ(idTime(id), 0) << id;
}

TEST(CallTable, OrdersTheRowsOfACall) {
  const Timestamp now = timestampOfMicros(1'000'000);
  const std::uint64_t awaited = versionOf(Presence::kAwaited, now, 0);
  const std::uint64_t visible = versionOf(Presence::kVisible, now, 0);
  EXPECT_EQ(awaited, 1'000'000U);
  EXPECT_LT(versionOf(Presence::kAwaited, timestampOfMicros(4'000'000'000'000'000), 0), visible);
  // A clock that is behind does not make a row older than the known one.
  EXPECT_EQ(versionOf(Presence::kVisible, now, visible + 5), visible + 6);
  const std::uint64_t deleted = versionOf(Presence::kDeleted, now, visible);
  EXPECT_EQ(deleted, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  EXPECT_LT(versionOf(Presence::kVisible, now, deleted), deleted);
}

TEST(CallTable, FiltersByIdReadOnlySomeRows) {
  EXPECT_TRUE(mayMatch("p", {}).text.empty());
  CallFilter filter;
  filter.op_names = {"chat"};
  filter.call_ids.emplace();
  EXPECT_TRUE(mayMatch("p", filter).text.empty()) << "an empty list is no condition";
  filter.trace_ids = {"t"};
  filter.parent_ids = {"a", "b"};
  const query::Sql condition = mayMatch("p", filter);
  EXPECT_NE(condition.text.text().find("k.trace_id IN (?)"), std::string::npos);
  EXPECT_NE(condition.text.text().find("k.parent_id IN (?, ?)"), std::string::npos);
  EXPECT_EQ(condition.params.size(), 5U) << "each subquery names the project";
}

}  // namespace
}  // namespace spindle::tracing
