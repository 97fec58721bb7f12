#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agents/store/span.h"
#include "otlp/span_tree.h"

namespace spindle::agents {

using Keys = std::vector<std::string_view>;

/// The attributes that fill a column of a row: the first present one of `keys`, whatever its value.
/// If none is present: the first one of `others`, the names of frameworks that do not follow the
/// conventions. Support for these frameworks therefore does not change spans that follow the
/// conventions.
template <class Column>
struct ColumnRule {
  Column AgentSpan::*column;
  Keys keys;
  Keys others = {};
};

/// All known attribute names, in one place. Constant.
struct Conventions {
  std::vector<ColumnRule<std::string>> texts;
  std::vector<ColumnRule<std::string>> json_texts;  ///< stored as JSON unless they are plain text
  std::vector<ColumnRule<std::int64_t>> counts;
  std::vector<ColumnRule<double>> reals;
  std::vector<ColumnRule<std::vector<std::string>>> text_lists;

  Keys operation_name;
  Keys provider_name;
  Keys other_providers;
  Keys other_agent_names;  ///< used if the span name contains no agent either
  Keys error_type;
  Keys trial_index;
  Keys system_instructions;
  Keys other_instructions;
  Keys input_messages;
  Keys other_inputs;
  Keys output_messages;
  Keys completions;  ///< older than output_messages
  Keys other_outputs;
  Keys reasoning_content;  ///< the name in queries; the column is filled from the messages
  Keys other_reasoning;

  /// Returns true for keys that have a column and therefore are not custom attributes.
  bool isReserved(std::string_view key) const;

  std::vector<std::string_view> reserved;  ///< sorted
};

const Conventions& conventions();

/// Returns the value of the first present key; null if none is present.
const otlp::Value* firstOf(const otlp::AttributeTree& attributes, const Keys& keys);

/// Returns the operation of a span by the names of its framework: `invoke_agent`, `chat`,
/// `execute_tool`, …; empty if unknown. For spans without an operation attribute.
std::string_view frameworkOperation(const otlp::SpanTree& span);

/// Returns the operation that a span's name begins with, or an empty string.
std::string_view operationInName(std::string_view span_name);

/// Returns the agent in a span's name (`invoke_agent planner`, `agent_run [planner]`), or an empty
/// string.
std::string_view agentInName(std::string_view span_name);

}  // namespace spindle::agents
