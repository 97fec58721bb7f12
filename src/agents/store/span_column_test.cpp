#include "agents/store/span_column.h"

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace spindle::agents {
namespace {

TEST(SpanColumns, ColumnUsesMatchTheContract) {
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

TEST(SpanColumns, ColumnNamesAreUnique) {
  for (const SpanColumn& column : kSpanColumns) EXPECT_EQ(findSpanColumn(column.name), &column);
  EXPECT_EQ(findSpanColumn("nothing"), nullptr);
}

}  // namespace
}  // namespace spindle::agents
