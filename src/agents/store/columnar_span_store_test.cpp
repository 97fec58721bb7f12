#include "agents/store/columnar_span_store.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "agents/store/span_row.h"
#include "columnar/journal/row_codec.h"
#include "columnar/testing/store_for_test.h"
#include "tracing/store/otel_resource_store.h"

namespace spindle::agents {
namespace {

using std::chrono::seconds;

Timestamp at(seconds since) { return Timestamp(std::chrono::hours(24) * 20'000 + since); }

AgentSpan span(const std::string& trace, const std::string& id, seconds start) {
  AgentSpan made;
  made.trace_id = trace;
  made.span_id = id;
  made.span_name = "step " + id;
  made.started_at = at(start);
  made.ended_at = at(start + seconds(1));
  made.created_at = at(start + seconds(2));
  return made;
}

std::vector<std::string> idsOf(const std::vector<AgentSpan>& spans) {
  std::vector<std::string> ids;
  for (const AgentSpan& one : spans) ids.push_back(one.span_id);
  return ids;
}

/// Fixture: spans in a real store. Tests check before and after the flush to the columnar file.
class SpanStoreTest : public ::testing::Test {
 protected:
  std::vector<AgentSpan> trace(const std::string& id, const std::string& project = "prj_1") {
    Result<std::vector<AgentSpan>> spans = spans_.readTrace(project, id);
    EXPECT_TRUE(spans);
    return *std::move(spans);
  }
  void write(std::vector<AgentSpan> spans, const std::string& project = "prj_1") {
    ASSERT_TRUE(spans_.write(project, std::move(spans)));
  }

  columnar::StoreForTest store_{{spanFamily(), tracing::otelResourceFamily()}};
  ColumnarSpanStore spans_{*store_, 0, 1};
};

TEST_F(SpanStoreTest, ATraceIsReadOldestFirstWithoutOthers) {
  write({span("t1", "b", seconds(5)), span("t1", "a", seconds(1)), span("t2", "c", seconds(2))});
  write({span("t1", "d", seconds(3))}, "prj_2");
  for (int flushed = 0; flushed < 2; ++flushed) {
    EXPECT_EQ(idsOf(trace("t1")), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(idsOf(trace("t1", "prj_2")), (std::vector<std::string>{"d"}));
    EXPECT_TRUE(trace("t3").empty());
    EXPECT_TRUE(trace("t1", "prj_3").empty());
    ASSERT_TRUE(store_->flush());
  }
}

TEST_F(SpanStoreTest, ARepeatedSpanReplacesTheOldOne) {
  AgentSpan open = span("t1", "a", seconds(1));
  open.ended_at = std::nullopt;
  write({open});
  ASSERT_TRUE(store_->flush());
  write({span("t1", "a", seconds(1))});
  for (int flushed = 0; flushed < 2; ++flushed) {
    ASSERT_EQ(trace("t1").size(), 1U);
    EXPECT_EQ(trace("t1").front().ended_at, at(seconds(2)));
    ASSERT_TRUE(store_->flush());
  }
}

TEST_F(SpanStoreTest, ARepeatedSpanWithAnotherStartReplacesTheOldOne) {
  const auto named = [](const std::string& name, seconds start) {
    AgentSpan made = span("t1", "a", start);
    made.span_name = name;
    return made;
  };
  const auto expectOne = [this](const std::string& name, seconds start) {
    const std::vector<AgentSpan> spans = trace("t1");
    ASSERT_EQ(idsOf(spans), (std::vector<std::string>{"a"}));
    EXPECT_EQ(spans.front().span_name, name);
    EXPECT_EQ(spans.front().started_at, at(start));
    Result<SpanRows> rows = spans_.rows("prj_1");
    ASSERT_TRUE(rows);
    Result<columnar::Cursor> count =
        rows->snapshot.query("SELECT count(*) FROM " + rows->from + " AS c");
    ASSERT_TRUE(count && count->next());
    EXPECT_EQ(count->integer(0), 1);
  };
  write({named("first", seconds(9)), named("in the same batch", seconds(3))});
  expectOne("in the same batch", seconds(3));
  write({named("in another batch", seconds(7))});
  expectOne("in another batch", seconds(7));
  ASSERT_TRUE(store_->flush());
  write({named("after it reached the file", seconds(2))});
  expectOne("after it reached the file", seconds(2));
  ASSERT_TRUE(store_->flush());
  expectOne("after it reached the file", seconds(2));
}

TEST(SpanStoreReopened, ASpanRepeatedAfterARestartReplacesTheOldOne) {
  columnar::StoreForTest store{{spanFamily(), tracing::otelResourceFamily()}};
  for (const int start : {5, 1, 8}) {
    ASSERT_TRUE(ColumnarSpanStore(*store, 0, 1).write("prj_1", {span("t1", "a", seconds(start))}));
    if (start == 5) {
      ASSERT_TRUE(store->flush());
    }
    store.reopen();
    const Result<std::vector<AgentSpan>> spans =
        ColumnarSpanStore(*store, 0, 1).readTrace("prj_1", "t1");
    ASSERT_TRUE(spans);
    ASSERT_EQ(spans->size(), 1U);
    EXPECT_EQ(spans->front().started_at, at(seconds(start)));
  }
}

TEST_F(SpanStoreTest, SpansWithOneIdInTwoTracesAreDistinct) {
  write({span("t1", "a", seconds(1)), span("t2", "a", seconds(1))});
  ASSERT_TRUE(store_->flush());
  write({span("t2", "a", seconds(2))});
  EXPECT_EQ(trace("t1").front().started_at, at(seconds(1)));
  EXPECT_EQ(trace("t2").front().started_at, at(seconds(2)));
}

TEST_F(SpanStoreTest, ExpiredSpansAreRemovedBeforeAndAfterAFlush) {
  const auto expiring = [](const std::string& id, std::optional<Timestamp> when) {
    AgentSpan made = span("t1", id, seconds(1));
    made.expire_at = when;
    return made;
  };
  write({expiring("old", at(seconds(100))), expiring("kept", std::nullopt)});
  ASSERT_TRUE(store_->flush());
  write({expiring("recent", at(seconds(150))), expiring("later", at(seconds(300)))});
  const Result<std::int64_t> none = spans_.removeExpired(at(seconds(100)));
  ASSERT_TRUE(none);
  EXPECT_EQ(*none, 0);
  const Result<std::int64_t> removed = spans_.removeExpired(at(seconds(200)));
  ASSERT_TRUE(removed);
  EXPECT_EQ(*removed, 2);
  std::vector<std::string> left = idsOf(trace("t1"));
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::string>{"kept", "later"}));
}

TEST_F(SpanStoreTest, ChatColumnsRoundTrip) {
  AgentSpan given = span("t1", "a", seconds(1));
  given.parent_span_id = "p";
  given.operation_name = "chat";
  given.provider_name = "openai";
  given.agent_name = "planner";
  given.agent_id = "agent-1";
  given.agent_version = "3";
  given.status_code = "ERROR";
  given.request_model = "m";
  given.response_model = "m-1";
  given.input_tokens = 50;
  given.output_tokens = 12;
  given.reasoning_tokens = 5;
  given.cache_creation_input_tokens = 2;
  given.cache_read_input_tokens = 3;
  given.reasoning_content = "because";
  given.conversation_id = "c1";
  given.tool_name = "look";
  given.tool_call_arguments = R"({"city": "Oslo"})";
  given.tool_call_result = "4";
  given.tool_definitions = "[]";
  given.input_messages = {{"user", "wie geht’s?", ""}};
  given.output_messages = {{"assistant", R"([{"type":"text"}])", "stop"}};
  given.system_instructions = {"Be brief.", "Be kind."};
  given.compaction_summary = "old";
  given.compaction_items_before = 40;
  given.compaction_items_after = 6;
  given.content_refs = {"svc-trace-internal:///p/object/x:y"};
  given.svc_user_id = "user";
  write({given});
  for (int flushed = 0; flushed < 2; ++flushed) {
    const std::vector<AgentSpan> spans = trace("t1");
    ASSERT_EQ(spans.size(), 1U);
    const AgentSpan& read = spans.front();
    for (const SpanColumn* column : spanColumnsFor(kChat)) {
      if (const auto* text = std::get_if<std::string AgentSpan::*>(&column->member)) {
        EXPECT_EQ(read.**text, given.**text) << column->name.text();
      } else if (const auto* number = std::get_if<std::int64_t AgentSpan::*>(&column->member)) {
        EXPECT_EQ(read.**number, given.**number) << column->name.text();
      }
    }
    EXPECT_EQ(read.started_at, given.started_at);
    EXPECT_EQ(read.ended_at, given.ended_at);
    EXPECT_EQ(read.system_instructions, given.system_instructions);
    EXPECT_EQ(read.content_refs, given.content_refs);
    ASSERT_EQ(read.input_messages.size(), 1U);
    EXPECT_EQ(read.input_messages.front().content, "wie geht’s?");
    ASSERT_EQ(read.output_messages.size(), 1U);
    EXPECT_EQ(read.output_messages.front().finish_reason, "stop");
    ASSERT_TRUE(store_->flush());
  }
}

TEST_F(SpanStoreTest, SpansOfADroppedPartitionAreDeleted) {
  write({span("t1", "a", seconds(1))});
  ASSERT_TRUE(store_->dropPartition("prj_1"));
  EXPECT_TRUE(trace("t1").empty());
}

TEST(SpanRow, ColumnUsesMatchTheContract) {
  struct Row {
    std::string_view columns;
    std::string_view flags;
  };
  // L list, D details, Q query, G group, S sort, V value.
  const std::vector<Row> table = {
      {"trace_id span_id span_name span_kind status_code error_type operation_name provider_name "
       "agent_name agent_version eval_run_id eval_predict_and_score_call_id eval_kind "
       "eval_row_digest eval_example_id eval_evaluation_name eval_trial_index parent_call_id "
       "parent_call_trace_id request_model response_model conversation_id tool_name tool_type "
       "svc_run_id",
       "LQGSV"},
      {"agent_id tool_call_id svc_user_id", "LQGV"},
      {"started_at ended_at input_tokens output_tokens reasoning_tokens "
       "cache_creation_input_tokens cache_read_input_tokens request_temperature request_top_p "
       "request_max_tokens output_type server_address",
       "LQSV"},
      {"parent_span_id status_message agent_description response_id conversation_name "
       "request_frequency_penalty request_presence_penalty request_seed request_choice_count "
       "compaction_items_before compaction_items_after server_port",
       "LQV"},
      {"reasoning_content tool_description tool_call_arguments tool_call_result "
       "compaction_summary",
       "DQV"},
      {"tool_definitions input_messages output_messages system_instructions content_refs "
       "artifact_refs object_refs raw_span_dump",
       "D"},
      {"finish_reasons request_stop_sequences", "L"},
      {"svc_run_step", "LSV"},
      {"svc_run_step_end", "LV"},
      {"created_at expire_at turn_number resource_digest", ""},
  };
  std::size_t named = 0;
  for (const auto& [columns, flags] : table) {
    std::istringstream words{std::string(columns)};
    for (std::string name; words >> name; ++named) {
      const SpanColumn* column = findSpanColumn(name);
      ASSERT_NE(column, nullptr) << name;
      std::string uses;
      if (column->is(kListed)) uses += 'L';
      if (column->is(kDetail)) uses += 'D';
      if (column->is(kQueried)) uses += 'Q';
      if (column->is(kGrouped)) uses += 'G';
      if (column->is(kSorted)) uses += 'S';
      if (column->is(kMeasured)) uses += 'V';
      EXPECT_EQ(uses, flags) << name;
    }
  }
  EXPECT_EQ(named, kSpanColumns.size());
}

TEST(SpanRow, StoredBytesIsAnUpperBoundInTheJournal) {
  std::vector<AgentSpan> spans(4);
  for (AgentSpan& one : spans) {
    one.trace_id = std::string(32, 'a');
    one.span_id = std::string(16, 'b');
  }
  spans[1].raw_span_dump = std::string(100'000, 'x');
  spans[1].input_tokens = std::numeric_limits<std::int64_t>::max();
  spans[1].request_temperature = 0.7;
  spans[1].ended_at = at(seconds(5));
  spans[1].expire_at = at(seconds(5));
  spans[1].turn_number = std::numeric_limits<std::int64_t>::min();
  spans[2].input_messages = {{"user", std::string(1000, '\x01') + "\"\\\n\x7F", "stop"}, {}};
  spans[2].output_messages.assign(500, {"", "", ""});
  spans[2].finish_reasons = {"", "a", std::string(200, 'f')};
  spans[3].custom.strings = {{std::string(50, '\x02'), std::string(300, '"')}, {"", ""}};
  spans[3].custom.integers = {{"i", std::numeric_limits<std::int64_t>::min()}};
  spans[3].custom.reals = {{"r", -1.2345678901234567e-300}};
  spans[3].custom.booleans = {{"b", false}};
  for (const AgentSpan& one : spans) {
    EXPECT_GE(storedBytes(one), columnar::encodedBytes(rowOf(one)));
    EXPECT_LE(storedBytes(one), 2 * columnar::encodedBytes(rowOf(one)) + 512);
  }
}

TEST(SpanRow, ColumnNamesAreUnique) {
  for (const SpanColumn& column : kSpanColumns) EXPECT_EQ(findSpanColumn(column.name), &column);
  EXPECT_EQ(findSpanColumn("nothing"), nullptr);
}

}  // namespace
}  // namespace spindle::agents
