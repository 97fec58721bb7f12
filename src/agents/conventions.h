#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agents/span.h"
#include "otlp/span_tree.h"

namespace spindle::agents {

using Keys = std::vector<std::string_view>;

/// Which attributes fill a column of a row: the first of `keys` that is there, whatever it holds.
/// When none is, the first of `others`: what frameworks with names of their own send. So nothing
/// that follows the conventions reads differently for those that do not.
template <class Column>
struct ColumnRule {
  Column AgentSpan::*column;
  Keys keys;
  Keys others = {};
};

/// The whole of what is known about names of attributes, in one place. Constant.
struct Conventions {
  std::vector<ColumnRule<std::string>> texts;
  std::vector<ColumnRule<std::string>> json_texts;  ///< kept as JSON text where it is no plain text
  std::vector<ColumnRule<std::int64_t>> counts;
  std::vector<ColumnRule<double>> reals;
  std::vector<ColumnRule<std::vector<std::string>>> text_lists;

  Keys operation_name;
  Keys provider_name;
  Keys other_providers;
  Keys other_agent_names;  ///< where the name of the span gives none either
  Keys error_type;
  Keys trial_index;
  Keys system_instructions;
  Keys other_instructions;
  Keys input_messages;
  Keys other_inputs;
  Keys output_messages;
  Keys completions;  ///< older than output_messages
  Keys other_outputs;
  Keys reasoning_content;  ///< what queries call it; it is filled from the messages
  Keys other_reasoning;

  /// True for keys that have a column and therefore are no custom attributes.
  bool isReserved(std::string_view key) const;

  std::vector<std::string_view> reserved;  ///< sorted
};

const Conventions& conventions();

/// The value of the first key that is there; null when none is.
const otlp::Value* firstOf(const otlp::AttributeTree& attributes, const Keys& keys);

/// What kind of step the span is by what a framework calls it: `invoke_agent`, `chat`,
/// `execute_tool`, or empty when that says nothing. For spans without an operation of their own.
std::string_view operationElsewhere(const otlp::SpanTree& span);

/// The operation that a span's name begins with, or empty.
std::string_view operationInName(std::string_view span_name);

/// What a span's name says about its agent, or empty: `invoke_agent planner`, `agent_run
/// [planner]`.
std::string_view agentInName(std::string_view span_name);

}  // namespace spindle::agents
