#include "agents/ingest/span_to_row.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "agents/ingest/framework_messages.h"
#include "agents/ingest/span_to_row_custom.h"
#include "agents/ingest/span_to_row_messages.h"
#include "agents/store/conventions.h"
#include "agents/store/text_characters.h"
#include "base/core/ascii.h"
#include "base/crypto/crypto.h"
#include "otlp/json_text.h"

namespace spindle::agents {
namespace {

using namespace std::string_view_literals;
using otlp::AttributeTree, otlp::SpanTree, otlp::Value;

constexpr auto kOutputTypes = std::to_array({""sv, "text"sv, "json"sv, "image"sv, "speech"sv});
/// Operations whose spans contain a conversation or a part of one.
constexpr auto kMessageOperations =
    std::to_array({"chat"sv, "generate_content"sv, "text_completion"sv, "invoke_agent"sv});
constexpr std::string_view kAgent = "invoke_agent";
constexpr std::string_view kTool = "execute_tool";

/// Returns the text of Python's str(), but JSON for structures. A falsy value in Python is empty.
std::string textOf(const Value& value) {
  if (!value.isTruthy()) return {};
  if (const std::string_view* text = value.asText()) return std::string(*text);
  if (value.asBool() != nullptr) return "True";
  return otlp::pythonJson(value);
}

/// Returns true for the JSON Schema of an object, which frameworks use to describe tools.
bool isSchema(const Value& value) {
  const Value* type = value.find("type");
  const Value* properties = value.find("properties");
  return type != nullptr && type->asText() != nullptr && *type->asText() == "object" &&
         properties != nullptr && properties->asMap() != nullptr;
}

template <class Number>
std::optional<Number> parsed(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [ptr, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || ptr != end) return std::nullopt;
  return number;
}

std::int64_t countOf(const Value& value) {
  if (const std::int64_t* integer = value.asInteger()) return *integer;
  if (const bool* truth = value.asBool()) return *truth ? 1 : 0;
  if (const double* real = value.asReal()) {
    constexpr double kLimit = 9.2e18;
    return std::isfinite(*real) && std::abs(*real) < kLimit ? static_cast<std::int64_t>(*real) : 0;
  }
  const std::string_view* text = value.asText();
  return text == nullptr ? 0 : parsed<std::int64_t>(*text).value_or(0);
}

double realOf(const Value& value) {
  if (const double* real = value.asReal()) return std::isfinite(*real) ? *real : 0;
  if (const std::int64_t* integer = value.asInteger()) return static_cast<double>(*integer);
  const std::string_view* text = value.asText();
  const double number = text == nullptr ? 0 : parsed<double>(*text).value_or(0);
  return std::isfinite(number) ? number : 0;
}

std::string jsonTextOf(const Value& value) {
  if (const std::string_view* text = value.asText()) return std::string(*text);
  return otlp::pythonJson(otlp::withLists(value));
}

std::vector<std::string> textsOf(const Value& value) {
  const Value held = otlp::withLists(value);
  std::vector<std::string> texts;
  if (const otlp::List* list = held.asList()) {
    for (const Value& item : *list) {
      if (std::string text = textOf(item); !text.empty()) texts.push_back(std::move(text));
    }
  } else if (std::string text = textOf(held); !text.empty()) {
    texts.push_back(std::move(text));
  }
  return texts;
}

/// Returns an attribute of the last event with this name that has it.
const Value* eventValue(const SpanTree& span, std::string_view event, std::string_view key) {
  for (std::size_t i = span.events.size(); i-- > 0;) {
    if (span.span->events[i].name != event) continue;
    if (const Value* value = span.events[i].find(key)) return value;
  }
  return nullptr;
}

template <std::size_t N>
bool isOneOf(const std::array<std::string_view, N>& known, std::string_view name) {
  return std::find(known.begin(), known.end(), name) != known.end();
}

class RowBuilder {
 public:
  explicit RowBuilder(const SpanTree& span)
      : span_(span), attributes_(span.attributes), conventions_(conventions()) {}

  Result<AgentSpan> make() {
    addIdentity();
    addOperation();
    addColumns();
    if (!isOneOf(kOutputTypes, row_.output_type)) return Error::invalidArgument("ValidationError");
    addTool();
    addAgentName();
    addStatus();
    addInput();
    addOutput();
    if (const Value* value = firstOf(attributes_, conventions_.system_instructions)) {
      row_.system_instructions = instructionsOf(otlp::withLists(*value));
    } else if (const Value* other = firstOf(attributes_, conventions_.other_instructions)) {
      for (SpanMessage& message : frameworkMessages(otlp::withLists(*other), ""))
        row_.system_instructions.push_back(std::move(message.content));
    }
    row_.custom = customAttributesOf(attributes_);
    return std::move(row_);
  }

 private:
  const Value* first(const Keys& keys) const { return firstOf(attributes_, keys); }

  template <class Column>
  const Value* valueFor(const ColumnRule<Column>& rule) const {
    const Value* value = first(rule.keys);
    return value == nullptr ? first(rule.others) : value;
  }

  void addIdentity() {
    const otlp::Span& span = *span_.span;
    row_.trace_id = toHex(span.trace_id);
    row_.span_id = toHex(span.span_id);
    row_.parent_span_id = otlp::parentIdOf(span);
    row_.span_name = span.name;
    row_.span_kind = nameOf(span.kind);
    row_.started_at = otlp::timeOf(span.start_time_unix_nano);
    if (span.end_time_unix_nano != 0) row_.ended_at = otlp::timeOf(span.end_time_unix_nano);
    row_.status_code = nameOf(span.status);
    row_.status_message = span.status_message;
  }

  void addOperation() {
    if (const Value* value = first(conventions_.operation_name))
      row_.operation_name = textOf(*value);
    if (row_.operation_name.empty()) row_.operation_name = operationInName(row_.span_name);
    if (row_.operation_name.empty()) row_.operation_name = frameworkOperation(span_);
  }

  void addColumns() {
    for (const auto& rule : conventions_.texts) {
      if (const Value* value = valueFor(rule)) row_.*rule.column = textOf(*value);
    }
    for (const auto& rule : conventions_.counts) {
      if (const Value* value = valueFor(rule))
        row_.*rule.column = std::max<std::int64_t>(countOf(*value), 0);
    }
    for (const auto& rule : conventions_.reals) {
      if (const Value* value = valueFor(rule)) row_.*rule.column = realOf(*value);
    }
    for (const auto& rule : conventions_.text_lists) {
      if (const Value* value = valueFor(rule)) row_.*rule.column = textsOf(*value);
    }
    for (const auto& rule : conventions_.json_texts) {
      if (const Value* value = first(rule.keys)) row_.*rule.column = jsonTextOf(*value);
    }
    const Value* provider = first(conventions_.provider_name);
    if (provider == nullptr) provider = first(conventions_.other_providers);
    if (provider != nullptr) row_.provider_name = lowerCase(textOf(*provider));
    if (const Value* trial = first(conventions_.trial_index))
      row_.eval_trial_index = countOf(*trial);
    if (const Value* type = first(conventions_.error_type)) row_.error_type = textOf(*type);
  }

  /// Adds the arguments and the result of a tool: from attributes, then from events, then from the
  /// attributes of other frameworks.
  void addTool() {
    addFromEvent(row_.tool_call_arguments, "gen_ai.tool.input", "gen_ai.tool.call.arguments");
    addFromEvent(row_.tool_call_result, "gen_ai.tool.output", "gen_ai.tool.call.result");
    for (const auto& rule : conventions_.json_texts) {
      if (!(row_.*rule.column).empty() || first(rule.keys) != nullptr) continue;
      const Value* other = first(rule.others);
      // The schema of the arguments is not the arguments.
      const bool schema =
          other != nullptr && rule.column == &AgentSpan::tool_call_arguments && isSchema(*other);
      if (other != nullptr && !schema) row_.*rule.column = jsonTextOf(*other);
    }
    if (row_.operation_name != kTool) return;
    addIfEmpty(row_.tool_call_arguments,
               {"input.value", "traceloop.entity.input", "gen_ai.prompt"});
    addIfEmpty(row_.tool_call_result,
               {"output.value", "traceloop.entity.output", "gen_ai.completion"});
    if (!row_.tool_name.empty() || !operationInName(row_.span_name).empty()) return;
    if (const Value* name = attributes_.find("traceloop.entity.name"))
      row_.tool_name = textOf(*name);
  }

  void addFromEvent(std::string& column, std::string_view event, std::string_view key) {
    if (!column.empty()) return;
    if (const Value* value = eventValue(span_, event, key)) column = jsonTextOf(*value);
  }

  void addIfEmpty(std::string& column, const Keys& keys) {
    if (!column.empty()) return;
    if (const Value* value = first(keys)) column = jsonTextOf(*value);
  }

  void addAgentName() {
    if (!row_.agent_name.empty()) return;
    row_.agent_name = agentInName(row_.span_name);
    if (!row_.agent_name.empty()) return;
    const Value* name = first(conventions_.other_agent_names);
    const Value* kind = attributes_.find("traceloop.span.kind");
    if (name == nullptr && kind != nullptr && textOf(*kind) == "agent")
      name = attributes_.find("traceloop.entity.name");
    if (name == nullptr && row_.operation_name == kAgent) name = attributes_.find("graph.node.id");
    if (name != nullptr) row_.agent_name = textOf(*name);
  }

  /// Fills a missing error type and message of a failed span from its last exception event.
  void addStatus() {
    if (span_.span->status != otlp::StatusCode::kError) return;
    if (!row_.status_message.empty() && !row_.error_type.empty()) return;
    for (std::size_t i = span_.events.size(); i-- > 0;) {
      if (span_.span->events[i].name != "exception") continue;
      const Value* type = span_.events[i].find("exception.type");
      const Value* message = span_.events[i].find("exception.message");
      const std::string type_text = type == nullptr ? std::string() : textOf(*type);
      const std::string message_text = message == nullptr ? std::string() : textOf(*message);
      if (type_text.empty() && message_text.empty()) continue;
      if (row_.error_type.empty()) row_.error_type = type_text;
      if (row_.status_message.empty()) row_.status_message = message_text;
      return;
    }
  }

  /// Returns true for spans whose inputs and outputs are messages of users or models. Values that
  /// an intermediate step passes on are not messages.
  bool containsMessages() const {
    return isOneOf(kMessageOperations, row_.operation_name) ||
           (row_.operation_name.empty() && row_.parent_span_id.empty());
  }

  void addInput() {
    if (const Value* raw = first(conventions_.input_messages))
      row_.input_messages = messagesOf(otlp::withLists(*raw), "user");
    if (row_.input_messages.empty() && containsMessages())
      row_.input_messages = messagesFromFrameworks(conventions_.other_inputs, "user");
  }

  void addOutput() {
    const Value* raw = first(conventions_.output_messages);
    if (raw == nullptr) raw = first(conventions_.completions);
    if (raw == nullptr) raw = eventValue(span_, "gen_ai.content.completion", "gen_ai.completion");
    if (raw != nullptr) {
      const Value output = otlp::withLists(*raw);
      row_.output_messages = messagesOf(output, "assistant");
      row_.reasoning_content = reasoningOf(output);
      if (row_.reasoning_content.empty()) row_.reasoning_content = frameworkReasoning(output);
    }
    if (!containsMessages()) return;
    if (row_.output_messages.empty())
      row_.output_messages = messagesFromFrameworks(conventions_.other_outputs, "assistant");
    if (row_.reasoning_content.empty()) addOtherReasoning();
  }

  void addOtherReasoning() {
    if (const Value* value = first(conventions_.other_reasoning)) {
      const Value held = otlp::withLists(*value);
      row_.reasoning_content = held.asText() != nullptr ? textOf(held) : frameworkReasoning(held);
      return;
    }
    for (const std::string_view key : conventions_.other_outputs) {
      const Value* raw = attributes_.find(key);
      if (raw == nullptr || !raw->isStructured()) continue;
      row_.reasoning_content = frameworkReasoning(otlp::withLists(*raw));
      if (!row_.reasoning_content.empty()) return;
    }
  }

  std::vector<SpanMessage> messagesFromFrameworks(const Keys& keys, std::string_view role) const {
    for (const std::string_view key : keys) {
      const Value* raw = attributes_.find(key);
      if (raw == nullptr) continue;
      std::vector<SpanMessage> messages = frameworkMessages(otlp::withLists(*raw), role);
      if (!messages.empty()) return messages;
    }
    return {};
  }

  const SpanTree& span_;
  const AttributeTree& attributes_;
  const Conventions& conventions_;
  AgentSpan row_;
};

}  // namespace

Result<AgentSpan> rowOf(const SpanTree& span) { return RowBuilder(span).make(); }

}  // namespace spindle::agents
