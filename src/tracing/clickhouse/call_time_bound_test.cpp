#include "tracing/clickhouse/call_time_bound.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/crypto/id.h"
#include "tracing/clickhouse/clickhouse_calls_for_test.h"
#include "tracing/clickhouse/two_stores_for_test.h"

namespace spindle::tracing {
namespace {

using std::chrono::seconds;

constexpr std::int64_t kBegin = 1'760'000'000'000'000;

Timestamp after(std::int64_t number) { return timestampOfMicros(kBegin) + seconds(number); }

/// A call whose id has the time of its number.
CallComplete callOf(std::int64_t number, Timestamp started_at) {
  CallComplete call;
  call.start.id = newUuid(after(number));
  call.start.trace_id = "trace" + std::to_string(number / 4);
  call.start.op_name = number % 40 == 0 ? "rare" : "chat";
  call.start.started_at = started_at;
  call.start.attributes = "{}";
  call.start.inputs = "{}";
  call.end.id = call.start.id;
  call.end.ended_at = started_at + seconds(1);
  call.end.summary = "{}";
  return call;
}

/// Calls in their order, calls whose ids are older or newer than their starts, and ids without a
/// time.
std::vector<CallPart> mixedCalls(std::int64_t count) {
  std::vector<CallPart> parts;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t start = i;
    if (i % 97 == 0) start = count - i;
    if (i % 101 == 0) start = i - 3 * count;
    CallComplete call = callOf(i, after(start));
    if (i % 50 == 0) call.start.id = call.end.id = "call" + std::to_string(i);
    parts.emplace_back(std::move(call));
  }
  return parts;
}

class CallTimeBoundTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!clickhouse::DatabaseForTest::isAvailable()) GTEST_SKIP() << "no ClickHouse server";
  }
};

TEST_F(CallTimeBoundTest, IsPassedByEnoughRows) {
  ClickHouseCallsForTest calls;
  std::vector<CallPart> parts;
  for (std::int64_t i = 0; i < 100; ++i) parts.emplace_back(callOf(i, after(i)));
  ASSERT_TRUE(calls.store().write("prj", std::move(parts)));
  const auto bound = [&calls](TimeOrder order, std::optional<Timestamp> from, std::int64_t rows) {
    return *timeBound(calls.client(), "prj", order, from, rows);
  };
  EXPECT_EQ(bound(TimeOrder::kNewestFirst, std::nullopt, 10), after(89));
  EXPECT_EQ(bound(TimeOrder::kOldestFirst, std::nullopt, 10), after(10));
  EXPECT_EQ(bound(TimeOrder::kNewestFirst, after(50), 10), after(40));
  EXPECT_EQ(bound(TimeOrder::kOldestFirst, after(50), 10), after(60));
  EXPECT_EQ(bound(TimeOrder::kNewestFirst, std::nullopt, 100), std::nullopt);
  EXPECT_EQ(*timeBound(calls.client(), "other", TimeOrder::kNewestFirst, {}, 0), std::nullopt);
}

TEST_F(CallTimeBoundTest, PagesAreThoseOfTheEmbeddedStore) {
  TwoStoresForTest stores;
  std::vector<CallPart> parts = mixedCalls(1'500);
  stores.write(parts);
  // Calls of the first pages that begin elsewhere now, and deleted ones.
  std::vector<CallPart> changes;
  for (const std::size_t i : {1'499U, 1'498U, 1'490U, 3U, 4U, 700U}) {
    auto call = std::get<CallComplete>(parts.at(i));
    call.start.started_at = after(static_cast<std::int64_t>(1'499 - i));
    call.end.ended_at = call.start.started_at;
    changes.emplace_back(std::move(call));
  }
  for (const std::size_t i : {1'497U, 1'496U, 2U, 5U})
    changes.emplace_back(CallDelete{idOf(parts.at(i))});
  stores.write(changes);
  for (const bool descending : {true, false}) {
    for (const char* const op : {"", "rare", "none"}) {
      CallQuery selection;
      if (*op != 0) selection.filter.op_names = {op};
      for (const std::int64_t offset : {0, 7}) {
        for (const std::int64_t limit : {10, 3'000}) {
          CallPage page;
          page.sort_by = {{"started_at", descending}};
          page.limit = limit;
          page.offset = offset;
          EXPECT_EQ(stores.clickHouseIds(selection, page), stores.embeddedIds(selection, page))
              << descending << op << offset << " " << limit;
        }
      }
    }
  }
}

TEST_F(CallTimeBoundTest, ChainsOfPagesHaveAllCallsOnce) {
  TwoStoresForTest stores;
  stores.write(mixedCalls(1'000));
  for (const bool descending : {true, false}) {
    CallPage page;
    page.sort_by = {{"started_at", descending}};
    const std::vector<std::string> all = stores.embeddedIds({}, page);
    ASSERT_EQ(all.size(), 1'000U);
    page.limit = 90;
    page.positions = true;
    std::vector<std::string> chained;
    do {
      Result<std::unique_ptr<CallView>> view = stores.clickHouse().view({"prj", "team/app"});
      ASSERT_TRUE(view);
      Result<std::unique_ptr<CallReader>> reader = (*view)->read({}, page, {CallColumn::kId});
      ASSERT_TRUE(reader);
      while (true) {
        const Result<std::vector<Call>> calls = (*reader)->next();
        ASSERT_TRUE(calls);
        if (calls->empty()) break;
        for (const Call& call : *calls) chained.push_back(call.id);
      }
      page.after = (*reader)->end();
    } while (page.after && chained.size() <= all.size());
    EXPECT_EQ(chained, all);
  }
}

}  // namespace
}  // namespace spindle::tracing
