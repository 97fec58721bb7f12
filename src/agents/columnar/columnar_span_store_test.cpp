#include "agents/columnar/columnar_span_store.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "agents/columnar/columnar_spans_for_test.h"
#include "agents/sql/span_row.h"
#include "columnar/testing/store_for_test.h"
#include "tracing/store/otel_resource_store.h"

namespace spindle::agents {
namespace {

/// Fixture: behaviour of the embedded store beyond the contract of span stores.
class ColumnarSpanStoreTest : public ::testing::Test, protected SpansForTest {
 protected:
  std::vector<AgentSpan> trace(const std::string& id) {
    Result<std::vector<AgentSpan>> spans = spans_.spans().readTrace("prj_1", id);
    EXPECT_TRUE(spans);
    return *std::move(spans);
  }
  void write(std::vector<AgentSpan> spans) {
    ASSERT_TRUE(spans_.spans().write("prj_1", std::move(spans)));
  }

  ColumnarSpansForTest spans_;
};

TEST_F(ColumnarSpanStoreTest, ARepeatedSpanWithAnotherStartReplacesTheOldOne) {
  const auto named = [](const std::string& name, double start) {
    AgentSpan made = span("t1", "a", start, 1);
    made.span_name = name;
    return made;
  };
  const auto expect_one = [this](const std::string& name, double start) {
    const std::vector<AgentSpan> spans = trace("t1");
    ASSERT_EQ(idsOf(spans), (Texts{"a"}));
    EXPECT_EQ(spans.front().span_name, name);
    EXPECT_EQ(spans.front().started_at, at(start));
    const Result<std::unique_ptr<SpanRows>> rows = spans_.spans().rows("prj_1");
    ASSERT_TRUE(rows);
    const Result<std::int64_t> count =
        countRows(**rows, query::Sql("SELECT 1 FROM ").add((*rows)->from()).add(" AS c"));
    ASSERT_TRUE(count);
    EXPECT_EQ(*count, 1);
  };
  write({named("first", 9), named("in the same batch", 3)});
  expect_one("in the same batch", 3);
  write({named("in another batch", 7)});
  expect_one("in another batch", 7);
  ASSERT_TRUE(spans_.store().flush());
  write({named("after it reached the file", 2)});
  expect_one("after it reached the file", 2);
  ASSERT_TRUE(spans_.store().flush());
  expect_one("after it reached the file", 2);
}

TEST(SpanStoreReopened, ASpanRepeatedAfterARestartReplacesTheOldOne) {
  columnar::StoreForTest store{{spanFamily(), tracing::otelResourceFamily()}};
  for (const int start : {5, 1, 8}) {
    ASSERT_TRUE(ColumnarSpanStore(*store, {0, 1})
                    .write("prj_1", {SpansForTest::span("t1", "a", start, 1)}));
    if (start == 5) {
      ASSERT_TRUE(store->flush());
    }
    store.reopen();
    const Result<std::vector<AgentSpan>> spans =
        ColumnarSpanStore(*store, {0, 1}).readTrace("prj_1", "t1");
    ASSERT_TRUE(spans);
    ASSERT_EQ(spans->size(), 1U);
    EXPECT_EQ(spans->front().started_at, at(start));
  }
}

TEST_F(ColumnarSpanStoreTest, SpansOfADroppedPartitionAreDeleted) {
  write({span("t1", "a", 1, 1)});
  ASSERT_TRUE(spans_.store().dropPartition("prj_1"));
  EXPECT_TRUE(trace("t1").empty());
}

}  // namespace
}  // namespace spindle::agents
