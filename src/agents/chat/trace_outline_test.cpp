#include "agents/chat/trace_outline.h"

#include <chrono>
#include <memory>

#include <gtest/gtest.h>

namespace spindle::agents {
namespace {

using tracing::OutlinedCall;
using Numbers = std::vector<std::int64_t>;
using Words = std::vector<std::string>;

Timestamp second(int seconds) { return Timestamp(std::chrono::seconds(1'700'000'000 + seconds)); }

OutlinedCall call(const std::string& id, const std::string& parent, int start, int took = 1) {
  OutlinedCall made;
  made.id = id;
  if (!parent.empty()) made.parent_id = parent;
  made.op_name = "op";
  made.started_at = second(start);
  made.ended_at = second(start + took);
  return made;
}

OutlinedSpan span(const std::string& id, const std::string& parent, int start) {
  OutlinedSpan made;
  made.span_id = id;
  made.parent_span_id = parent;
  made.span_name = "span";
  made.started_at = second(start);
  made.ended_at = second(start + 1);
  return made;
}

TraceOutline outline(const std::vector<OutlinedCall>& calls,
                     const std::vector<OutlinedSpan>& spans,
                     std::int64_t limit = 100) {
  pricing::Price price;
  price.llm_id = "m";
  price.tokens = {0.1, 0.2, 0, 0};
  const pricing::ProjectPrices prices(
      {std::make_shared<const pricing::PriceTable>(std::vector<pricing::Price>{price})});
  return outlineOf("t", calls, spans, prices, limit);
}

TEST(TraceOutline, JoinsCallsAndSpans) {
  OutlinedCall root = call("root", "", 0, 9);
  root.display_name = "Root";
  root.kind = "Agent";
  OutlinedCall both = call("both", "root", 1);
  OutlinedCall running = call("running", "root", 4);
  running.ended_at.reset();
  OutlinedSpan model = span("both", "root", 1);
  model.operation_name = "chat";
  model.model = "m";
  model.input_tokens = 10;
  model.output_tokens = 5;
  OutlinedSpan tool = span("tool", "both", 2);
  tool.operation_name = "execute_tool";
  tool.status_code = "ERROR";
  OutlinedSpan below = span("below", "", 3);
  below.parent_call_id = "root";
  const TraceOutline made = outline({running, both, root}, {model, tool, below});
  EXPECT_EQ(made.count, 5);
  EXPECT_FALSE(made.truncated);
  EXPECT_EQ(made.t0, second(0));
  EXPECT_EQ(made.names, (Words{"Root", "op", "span"}));
  const OutlineColumns& columns = made.columns;
  EXPECT_EQ(columns.id, (Words{"root", "both", "tool", "below", "running"}));
  EXPECT_EQ(columns.parent, (Numbers{-1, 0, 1, 0, 0}));
  EXPECT_EQ(columns.name, (Numbers{0, 1, 2, 2, 1}));
  EXPECT_EQ(columns.kind, (Words{"agent", "model", "tool", "call", "call"}));
  EXPECT_EQ(columns.source, (Words{"call", "both", "span", "span", "call"}));
  EXPECT_EQ(columns.started_at, (Numbers{0, 1'000'000, 2'000'000, 3'000'000, 4'000'000}));
  EXPECT_EQ(columns.ended_at[0], 9'000'000);
  EXPECT_EQ(columns.ended_at[4], std::nullopt);
  EXPECT_EQ(columns.status, (Words{"ok", "ok", "error", "ok", "running"}));
  EXPECT_EQ(columns.tokens[1], 15);
  EXPECT_EQ(columns.cost[1], 2.0);
  EXPECT_EQ(columns.tokens[0], std::nullopt);
  EXPECT_EQ(columns.cost[0], std::nullopt);
}

TEST(TraceOutline, TheInnermostCallWithUsageIsTheModel) {
  OutlinedCall root = call("root", "", 0);
  root.usage = R"({"m":{"prompt_tokens":1,"completion_tokens":1}})";
  OutlinedCall model = call("model", "root", 1);
  model.usage = R"({"m":{"prompt_tokens":1,"completion_tokens":1},"x":{"total_tokens":5}})";
  OutlinedCall stated = call("stated", "model", 2);
  stated.operation = "execute_tool";
  const TraceOutline made = outline({root, model, stated}, {});
  EXPECT_EQ(made.columns.kind, (Words{"call", "model", "tool"}));
  EXPECT_EQ(made.columns.tokens[0], 2);
  EXPECT_EQ(made.columns.tokens[1], 7);
  EXPECT_EQ(made.columns.cost[1], 0.3);
}

TEST(TraceOutline, KeepsTheOldestStepsAndNoCycles) {
  const TraceOutline cut =
      outline({call("c", "b", 3), call("b", "a", 2), call("a", "c", 1)}, {}, 2);
  EXPECT_TRUE(cut.truncated);
  EXPECT_EQ(cut.columns.id, (Words{"a", "b"}));
  EXPECT_EQ(cut.columns.parent, (Numbers{-1, 0}));
  const TraceOutline cycle = outline({call("a", "c", 1), call("b", "a", 2), call("c", "b", 3),
                                      call("d", "c", 4), call("e", "e", 5)},
                                     {});
  EXPECT_EQ(cycle.columns.parent, (Numbers{2, -1, 1, 2, -1}));
}

TEST(TraceOutline, AnUnknownTraceIsEmpty) {
  EXPECT_EQ(traceOutlineCodec().toJson(outline({}, {})),
            R"({"trace_id":"t","count":0,"truncated":false,"t0":null,"names":[],)"
            R"("columns":{"id":[],"parent":[],"name":[],"kind":[],"source":[],"started_at":[],)"
            R"("ended_at":[],"status":[],"tokens":[],"cost":[]}})");
}

}  // namespace
}  // namespace spindle::agents
