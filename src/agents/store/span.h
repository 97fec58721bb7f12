#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"
#include "tracing/calls/otel_resource.h"

namespace spindle::agents {

/// A message in a span. `content` is text, or the JSON text of a list of parts.
struct SpanMessage {
  std::string role;
  std::string content;
  std::string finish_reason;
};

/// Attributes without a column, by their dotted key.
struct CustomAttributes {
  std::map<std::string, std::string> strings;
  std::map<std::string, std::int64_t> integers;
  std::map<std::string, double> reals;
  std::map<std::string, bool> booleans;
};

/// The four maps of custom attributes, by the type of their values.
enum class CustomType { kString, kInt, kFloat, kBool };
inline constexpr auto kCustomTypes =
    std::to_array({CustomType::kString, CustomType::kInt, CustomType::kFloat, CustomType::kBool});

/// A span of an agent: one row of the agent views. A missing value is empty, zero or false. Only
/// the trial index distinguishes missing from zero.
struct AgentSpan {
  std::string trace_id;  ///< lower-case hex
  std::string span_id;   ///< lower-case hex
  std::string parent_span_id;
  std::string span_name;
  std::string span_kind;  ///< UNSPECIFIED INTERNAL SERVER CLIENT PRODUCER CONSUMER
  Timestamp started_at;
  std::optional<Timestamp> ended_at;  ///< nothing while the span is open
  std::string status_code;            ///< UNSET OK ERROR
  std::string status_message;
  std::string error_type;

  std::string operation_name;
  std::string provider_name;
  std::string agent_name;
  std::string agent_id;
  std::string agent_description;
  std::string agent_version;

  std::string eval_run_id;
  std::string eval_predict_and_score_call_id;
  std::string eval_kind;
  std::string eval_row_digest;
  std::string eval_example_id;
  std::string eval_evaluation_name;
  std::optional<std::int64_t> eval_trial_index;
  std::string parent_call_id;
  std::string parent_call_trace_id;

  std::string request_model;
  std::string response_model;
  std::string response_id;
  std::int64_t input_tokens = 0;  ///< including tokens from a cache
  std::int64_t output_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::int64_t cache_creation_input_tokens = 0;
  std::int64_t cache_read_input_tokens = 0;
  std::string reasoning_content;

  std::string conversation_id;
  std::string conversation_name;
  std::string tool_name;
  std::string tool_type;
  std::string tool_call_id;
  std::string tool_description;
  std::string tool_definitions;     ///< JSON text
  std::string tool_call_arguments;  ///< JSON text, or another text that the tool received
  std::string tool_call_result;

  std::vector<std::string> finish_reasons;
  double request_temperature = 0;
  double request_top_p = 0;
  double request_frequency_penalty = 0;
  double request_presence_penalty = 0;
  std::int64_t request_max_tokens = 0;
  std::int64_t request_seed = 0;
  std::int64_t request_choice_count = 0;
  std::vector<std::string> request_stop_sequences;
  std::string output_type;

  std::vector<SpanMessage> input_messages;
  std::vector<SpanMessage> output_messages;
  std::vector<std::string> system_instructions;
  std::string compaction_summary;
  std::int64_t compaction_items_before = 0;
  std::int64_t compaction_items_after = 0;
  std::vector<std::string> content_refs;  ///< internal form
  std::vector<std::string> artifact_refs;
  std::vector<std::string> object_refs;
  CustomAttributes custom;

  std::string server_address;
  std::int64_t server_port = 0;
  std::string svc_user_id;
  std::string svc_run_id;
  std::int64_t svc_run_step = 0;
  std::int64_t svc_run_step_end = 0;
  std::string raw_span_dump;  ///< JSON text of the whole received span
  Timestamp created_at;
  std::optional<Timestamp> expire_at;  ///< end of the retention; nothing means unlimited
  /// For a span that ends a turn: its number in the order in which turns ended.
  std::optional<std::int64_t> turn_number;
  /// Digest of the resource if `raw_span_dump` does not contain it; else empty.
  std::string resource_digest;
  /// That resource, for a span to be stored.
  tracing::OtelResourcePtr resource;
};

}  // namespace spindle::agents
