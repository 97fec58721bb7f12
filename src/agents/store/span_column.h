#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agents/store/span.h"
#include "base/core/sql_text.h"
#include "base/core/time.h"

namespace spindle::agents {

/// The permitted uses of a span column.
enum SpanUse : unsigned {
  kListed = 1,     ///< returned in lists
  kDetail = 2,     ///< returned with `include_details`
  kChat = 4,       ///< read by the chat view
  kQueried = 8,    ///< allowed in queries
  kGrouped = 16,   ///< allowed in group_by
  kSorted = 32,    ///< allowed in sort_by
  kMeasured = 64,  ///< allowed as the value of a measure
};

using SpanMember = std::variant<std::string AgentSpan::*,
                                std::int64_t AgentSpan::*,
                                std::optional<std::int64_t> AgentSpan::*,
                                double AgentSpan::*,
                                Timestamp AgentSpan::*,
                                std::optional<Timestamp> AgentSpan::*,
                                std::vector<std::string> AgentSpan::*,
                                std::vector<SpanMessage> AgentSpan::*>;

/// One column of the stored spans. Custom attributes are not SpanColumns.
struct SpanColumn {
  SqlName name;  ///< in the store and in responses
  SpanMember member;
  unsigned uses = 0;

  bool is(SpanUse use) const { return (uses & use) != 0; }
};

inline constexpr unsigned kEverywhere = kListed | kQueried | kGrouped | kSorted | kMeasured;

/// All columns, in the order of the store. Add new ones at the end.
inline constexpr auto kSpanColumns = std::to_array<SpanColumn>({
    {"trace_id", &AgentSpan::trace_id, kEverywhere | kChat},
    {"span_id", &AgentSpan::span_id, kEverywhere | kChat},
    {"parent_span_id", &AgentSpan::parent_span_id, kListed | kChat | kQueried | kMeasured},
    {"span_name", &AgentSpan::span_name, kEverywhere | kChat},
    {"span_kind", &AgentSpan::span_kind, kEverywhere},
    {"started_at", &AgentSpan::started_at, kListed | kChat | kQueried | kSorted | kMeasured},
    {"ended_at", &AgentSpan::ended_at, kListed | kChat | kQueried | kSorted | kMeasured},
    {"status_code", &AgentSpan::status_code, kEverywhere | kChat},
    {"status_message", &AgentSpan::status_message, kListed | kQueried | kMeasured},
    {"error_type", &AgentSpan::error_type, kEverywhere},
    {"operation_name", &AgentSpan::operation_name, kEverywhere | kChat},
    {"provider_name", &AgentSpan::provider_name, kEverywhere | kChat},
    {"agent_name", &AgentSpan::agent_name, kEverywhere | kChat},
    {"agent_id", &AgentSpan::agent_id, kListed | kChat | kQueried | kGrouped | kMeasured},
    {"agent_description", &AgentSpan::agent_description, kListed | kQueried | kMeasured},
    {"agent_version", &AgentSpan::agent_version, kEverywhere | kChat},
    {"eval_run_id", &AgentSpan::eval_run_id, kEverywhere},
    {"eval_predict_and_score_call_id", &AgentSpan::eval_predict_and_score_call_id, kEverywhere},
    {"eval_kind", &AgentSpan::eval_kind, kEverywhere},
    {"eval_row_digest", &AgentSpan::eval_row_digest, kEverywhere},
    {"eval_example_id", &AgentSpan::eval_example_id, kEverywhere},
    {"eval_evaluation_name", &AgentSpan::eval_evaluation_name, kEverywhere},
    {"eval_trial_index", &AgentSpan::eval_trial_index, kEverywhere},
    {"parent_call_id", &AgentSpan::parent_call_id, kEverywhere},
    {"parent_call_trace_id", &AgentSpan::parent_call_trace_id, kEverywhere},
    {"request_model", &AgentSpan::request_model, kEverywhere | kChat},
    {"response_model", &AgentSpan::response_model, kEverywhere | kChat},
    {"response_id", &AgentSpan::response_id, kListed | kQueried | kMeasured},
    {"input_tokens", &AgentSpan::input_tokens, kListed | kChat | kQueried | kSorted | kMeasured},
    {"output_tokens", &AgentSpan::output_tokens, kListed | kChat | kQueried | kSorted | kMeasured},
    {"reasoning_tokens", &AgentSpan::reasoning_tokens,
     kListed | kChat | kQueried | kSorted | kMeasured},
    {"cache_creation_input_tokens", &AgentSpan::cache_creation_input_tokens,
     kListed | kChat | kQueried | kSorted | kMeasured},
    {"cache_read_input_tokens", &AgentSpan::cache_read_input_tokens,
     kListed | kChat | kQueried | kSorted | kMeasured},
    {"reasoning_content", &AgentSpan::reasoning_content, kDetail | kChat | kQueried | kMeasured},
    {"conversation_id", &AgentSpan::conversation_id, kEverywhere | kChat},
    {"conversation_name", &AgentSpan::conversation_name, kListed | kQueried | kMeasured},
    {"tool_name", &AgentSpan::tool_name, kEverywhere | kChat},
    {"tool_type", &AgentSpan::tool_type, kEverywhere},
    {"tool_call_id", &AgentSpan::tool_call_id, kListed | kQueried | kGrouped | kMeasured},
    {"tool_description", &AgentSpan::tool_description, kDetail | kQueried | kMeasured},
    {"tool_definitions", &AgentSpan::tool_definitions, kDetail | kChat},
    {"tool_call_arguments", &AgentSpan::tool_call_arguments,
     kDetail | kChat | kQueried | kMeasured},
    {"tool_call_result", &AgentSpan::tool_call_result, kDetail | kChat | kQueried | kMeasured},
    {"finish_reasons", &AgentSpan::finish_reasons, kListed},
    {"request_temperature", &AgentSpan::request_temperature,
     kListed | kQueried | kSorted | kMeasured},
    {"request_top_p", &AgentSpan::request_top_p, kListed | kQueried | kSorted | kMeasured},
    {"request_frequency_penalty", &AgentSpan::request_frequency_penalty,
     kListed | kQueried | kMeasured},
    {"request_presence_penalty", &AgentSpan::request_presence_penalty,
     kListed | kQueried | kMeasured},
    {"request_max_tokens", &AgentSpan::request_max_tokens,
     kListed | kQueried | kSorted | kMeasured},
    {"request_seed", &AgentSpan::request_seed, kListed | kQueried | kMeasured},
    {"request_choice_count", &AgentSpan::request_choice_count, kListed | kQueried | kMeasured},
    {"request_stop_sequences", &AgentSpan::request_stop_sequences, kListed},
    {"output_type", &AgentSpan::output_type, kListed | kQueried | kSorted | kMeasured},
    {"input_messages", &AgentSpan::input_messages, kDetail | kChat},
    {"output_messages", &AgentSpan::output_messages, kDetail | kChat},
    {"system_instructions", &AgentSpan::system_instructions, kDetail | kChat},
    {"compaction_summary", &AgentSpan::compaction_summary, kDetail | kChat | kQueried | kMeasured},
    {"compaction_items_before", &AgentSpan::compaction_items_before,
     kListed | kChat | kQueried | kMeasured},
    {"compaction_items_after", &AgentSpan::compaction_items_after,
     kListed | kChat | kQueried | kMeasured},
    {"content_refs", &AgentSpan::content_refs, kDetail | kChat},
    {"artifact_refs", &AgentSpan::artifact_refs, kDetail},
    {"object_refs", &AgentSpan::object_refs, kDetail},
    {"server_address", &AgentSpan::server_address, kListed | kQueried | kSorted | kMeasured},
    {"server_port", &AgentSpan::server_port, kListed | kQueried | kMeasured},
    {"svc_user_id", &AgentSpan::svc_user_id, kListed | kChat | kQueried | kGrouped | kMeasured},
    {"svc_run_id", &AgentSpan::svc_run_id, kEverywhere},
    {"svc_run_step", &AgentSpan::svc_run_step, kListed | kSorted | kMeasured},
    {"svc_run_step_end", &AgentSpan::svc_run_step_end, kListed | kMeasured},
    {"raw_span_dump", &AgentSpan::raw_span_dump, kDetail},
    {"created_at", &AgentSpan::created_at},
    {"expire_at", &AgentSpan::expire_at},
    {"turn_number", &AgentSpan::turn_number},
    {"resource_digest", &AgentSpan::resource_digest},
});

// Names are accepted in either spelling:
/// Returns the column with this name, or null.
const SpanColumn* findSpanColumn(std::string_view name);
/// Returns the column with this name in queries, or null. The name is that of the column or of an
/// attribute that fills it (conventions.h), with the prefix `svc.` or `gen_ai.` or without one.
const SpanColumn* findQueryColumn(std::string_view name);
/// Returns the column with this name in group_by, or null.
const SpanColumn* findGroupColumn(std::string_view name);
/// Returns the columns with at least one of the uses, in order.
std::vector<const SpanColumn*> spanColumnsFor(unsigned uses);

/// Returns the stored key of a custom attribute, for a key in either spelling.
std::string customKey(std::string_view key);
/// Returns the column of the map: `custom_attrs_string`, ….
SqlName columnOf(CustomType type);
std::optional<CustomType> customTypeOf(std::string_view column);

}  // namespace spindle::agents
