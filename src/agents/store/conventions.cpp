#include "agents/store/conventions.h"

#include <algorithm>
#include <array>

#include "base/core/ascii.h"

namespace spindle::agents {
namespace {

using otlp::AttributeTree;

void addTexts(Conventions& c) {
  c.texts = {
      {&AgentSpan::agent_name, {"svc.agent.name", "gen_ai.agent.name"}},
      {&AgentSpan::agent_id, {"svc.agent.id", "gen_ai.agent.id"}},
      {&AgentSpan::agent_description, {"svc.agent.description", "gen_ai.agent.description"}},
      {&AgentSpan::agent_version, {"svc.agent.version", "gen_ai.agent.version"}},
      {&AgentSpan::eval_run_id, {"svc.eval.run_id"}},
      {&AgentSpan::eval_predict_and_score_call_id, {"svc.eval.predict_and_score_call_id"}},
      {&AgentSpan::eval_kind, {"svc.eval.kind"}},
      {&AgentSpan::eval_row_digest, {"svc.eval.row_digest"}},
      {&AgentSpan::eval_example_id, {"svc.eval.example_id"}},
      {&AgentSpan::eval_evaluation_name, {"svc.eval.evaluation_name"}},
      {&AgentSpan::parent_call_id, {"svc.parent_call.id"}},
      {&AgentSpan::parent_call_trace_id, {"svc.parent_call.trace_id"}},
      {&AgentSpan::request_model,
       {"svc.request.model", "gen_ai.request.model"},
       {"llm.model_name", "llm.request.model", "ai.model.id", "model"}},
      {&AgentSpan::response_model,
       {"svc.response.model", "gen_ai.response.model"},
       {"llm.response.model", "ai.response.model"}},
      {&AgentSpan::response_id, {"svc.response.id", "gen_ai.response.id"}, {"ai.response.id"}},
      {&AgentSpan::conversation_id,
       {"svc.conversation.id", "gen_ai.conversation.id"},
       {"session.id", "gcp.vertex.agent.session_id", "svcp.thread_id",
        "langsmith.trace.session_id"}},
      {&AgentSpan::conversation_name, {"svc.conversation.name", "gen_ai.conversation.name"}},
      {&AgentSpan::tool_name,
       {"svc.tool.name", "gen_ai.tool.name"},
       {"tool.name", "ai.toolCall.name", "tool_name"}},
      {&AgentSpan::tool_type, {"svc.tool.type", "gen_ai.tool.type"}},
      {&AgentSpan::tool_call_id,
       {"svc.tool.call.id", "gen_ai.tool.call.id"},
       {"tool.id", "tool_call.id", "ai.toolCall.id", "tool_use_id"}},
      {&AgentSpan::tool_description,
       {"svc.tool.description", "gen_ai.tool.description"},
       {"tool.description"}},
      {&AgentSpan::output_type, {"svc.output.type", "gen_ai.output.type"}},
      {&AgentSpan::compaction_summary, {"svc.compaction.summary"}},
      {&AgentSpan::server_address, {"svc.server.address", "server.address"}},
  };
  c.json_texts = {
      {&AgentSpan::tool_definitions,
       {"svc.tool.definitions", "gen_ai.tool.definitions"},
       {"llm.tools", "ai.prompt.tools", "llm.request.functions"}},
      {&AgentSpan::tool_call_arguments,
       {"svc.tool.call.arguments", "gen_ai.tool.call.arguments"},
       {"tool.parameters", "ai.toolCall.args", "gcp.vertex.agent.tool_call_args",
        "tool_arguments"}},
      {&AgentSpan::tool_call_result,
       {"svc.tool.call.result", "gen_ai.tool.call.result"},
       {"ai.toolCall.result", "gcp.vertex.agent.tool_response", "tool_response"}},
  };
}

void addNumbers(Conventions& c) {
  c.counts = {
      {&AgentSpan::input_tokens,
       {"svc.usage.input_tokens", "gen_ai.usage.input_tokens"},
       {"gen_ai.usage.prompt_tokens", "llm.token_count.prompt", "ai.usage.promptTokens",
        "ai.usage.inputTokens", "input_tokens"}},
      {&AgentSpan::output_tokens,
       {"svc.usage.output_tokens", "gen_ai.usage.output_tokens"},
       {"gen_ai.usage.completion_tokens", "llm.token_count.completion", "ai.usage.completionTokens",
        "ai.usage.outputTokens", "output_tokens"}},
      {&AgentSpan::reasoning_tokens,
       {"svc.usage.reasoning_tokens", "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.usage.reasoning_tokens", "gen_ai.usage.experimental.reasoning_tokens"},
       {"llm.token_count.completion_details.reasoning", "ai.usage.reasoningTokens"}},
      {&AgentSpan::cache_creation_input_tokens,
       {"svc.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation.input_tokens"},
       {"gen_ai.usage.cache_creation_input_tokens", "llm.token_count.prompt_details.cache_write",
        "cache_creation_tokens"}},
      {&AgentSpan::cache_read_input_tokens,
       {"svc.usage.cache_read.input_tokens", "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.prompt_tokens_details.cached_tokens",
        "gen_ai.usage.input_tokens_details.cached_tokens", "prompt_tokens_details.cached_tokens"},
       {"gen_ai.usage.cache_read_input_tokens", "llm.token_count.prompt_details.cache_read",
        "ai.usage.cachedInputTokens", "cache_read_tokens"}},
      {&AgentSpan::request_max_tokens, {"svc.request.max_tokens", "gen_ai.request.max_tokens"}},
      {&AgentSpan::request_seed, {"svc.request.seed", "gen_ai.request.seed"}},
      {&AgentSpan::request_choice_count,
       {"svc.request.choice.count", "gen_ai.request.choice.count"}},
      {&AgentSpan::compaction_items_before, {"svc.compaction.items_before"}},
      {&AgentSpan::compaction_items_after, {"svc.compaction.items_after"}},
      {&AgentSpan::server_port, {"svc.server.port", "server.port"}},
  };
  c.reals = {
      {&AgentSpan::request_temperature, {"svc.request.temperature", "gen_ai.request.temperature"}},
      {&AgentSpan::request_top_p, {"svc.request.top_p", "gen_ai.request.top_p"}},
      {&AgentSpan::request_frequency_penalty,
       {"svc.request.frequency_penalty", "gen_ai.request.frequency_penalty"}},
      {&AgentSpan::request_presence_penalty,
       {"svc.request.presence_penalty", "gen_ai.request.presence_penalty"}},
  };
}

void addLists(Conventions& c) {
  c.text_lists = {
      {&AgentSpan::finish_reasons,
       {"svc.response.finish_reasons", "gen_ai.response.finish_reasons"},
       {"ai.response.finishReason"}},
      {&AgentSpan::request_stop_sequences,
       {"svc.request.stop_sequences", "gen_ai.request.stop_sequences"}},
      {&AgentSpan::content_refs, {"svc.content_refs"}},
      {&AgentSpan::artifact_refs, {"svc.artifact_refs"}},
      {&AgentSpan::object_refs, {"svc.object_refs"}},
  };
  c.operation_name = {"svc.operation.name", "gen_ai.operation.name"};
  c.provider_name = {"svc.provider.name", "gen_ai.provider.name", "svc.system", "gen_ai.system"};
  c.other_providers = {"llm.provider", "llm.system", "ai.model.provider"};
  c.other_agent_names = {"agent.name", "agent_name", "ai.telemetry.functionId"};
  c.error_type = {"svc.error.type", "error.type"};
  c.trial_index = {"svc.eval.trial_index"};
  c.system_instructions = {"svc.system_instructions", "gen_ai.system_instructions"};
  c.other_instructions = {"ai.prompt.system",
                          "gcp.vertex.agent.llm_request.config.system_instruction"};
  c.input_messages = {"svc.input.messages", "gen_ai.input.messages", "svc.prompt", "gen_ai.prompt"};
  c.other_inputs = {"llm.input_messages",
                    "ai.prompt.messages",
                    "ai.prompt",
                    "gcp.vertex.agent.llm_request.contents",
                    "pydantic_ai.all_messages",
                    "input.value",
                    "traceloop.entity.input",
                    "gen_ai.prompt",
                    "user_prompt"};
  c.output_messages = {"svc.output.messages", "gen_ai.output.messages"};
  c.completions = {"svc.completion", "gen_ai.completion"};
  c.other_outputs = {"llm.output_messages",
                     "ai.response.text",
                     "ai.response.object",
                     "gcp.vertex.agent.llm_response.content",
                     "final_result",
                     "output.value",
                     "traceloop.entity.output",
                     "gen_ai.completion"};
  c.reasoning_content = {"svc.reasoning_content"};
  c.other_reasoning = {"ai.response.reasoning", "ai.response.reasoningText"};
}

template <class Column>
void reserve(Conventions& c, const std::vector<ColumnRule<Column>>& rules) {
  for (const ColumnRule<Column>& rule : rules)
    c.reserved.insert(c.reserved.end(), rule.keys.begin(), rule.keys.end());
}

Conventions makeConventions() {
  Conventions c;
  addTexts(c);
  addNumbers(c);
  addLists(c);
  reserve(c, c.texts);
  reserve(c, c.json_texts);
  reserve(c, c.counts);
  reserve(c, c.reals);
  reserve(c, c.text_lists);
  for (const Keys* keys :
       {&c.operation_name, &c.provider_name, &c.error_type, &c.trial_index, &c.system_instructions,
        &c.output_messages, &c.completions, &c.reasoning_content}) {
    c.reserved.insert(c.reserved.end(), keys->begin(), keys->end());
  }
  c.reserved.insert(c.reserved.end(), {"svc.input.messages", "gen_ai.input.messages"});
  std::sort(c.reserved.begin(), c.reserved.end());
  return c;
}

struct Named {
  std::string_view name;
  std::string_view operation;
};

constexpr std::string_view kAgentOperation = "invoke_agent";
constexpr std::string_view kChatOperation = "chat";
constexpr std::string_view kToolOperation = "execute_tool";

/// The span kinds of frameworks, in lower case.
constexpr auto kKinds = std::to_array<Named>({
    {"agent", kAgentOperation},
    {"llm", kChatOperation},
    {"chat_model", kChatOperation},
    {"tool", kToolOperation},
    {"embedding", "embeddings"},
    {"retriever", "retrieval"},
});
constexpr auto kKindKeys = std::to_array<std::string_view>(
    {"openinference.span.kind", "traceloop.span.kind", "langsmith.span.kind"});
/// Kinds that only contain other spans. At the root of a trace such a span is the agent.
constexpr auto kWrappers = std::to_array<std::string_view>({"chain", "workflow"});

constexpr auto kRequestTypes =
    std::to_array<Named>({{"chat", kChatOperation}, {"completion", "text_completion"}});

constexpr auto kSpanNames = std::to_array<Named>({
    {"ai.toolCall", kToolOperation},
    {"ai.generateText", kAgentOperation},
    {"ai.streamText", kAgentOperation},
    {"ai.generateObject", kAgentOperation},
    {"ai.streamObject", kAgentOperation},
    {"agent run", kAgentOperation},
    {"running tool", kToolOperation},
    {"call_llm", kChatOperation},
    {"claude_code.interaction", kAgentOperation},
    {"claude_code.llm_request", kChatOperation},
    {"claude_code.tool", kToolOperation},
});

constexpr auto kNamePrefixes =
    std::to_array<std::string_view>({"chat", "invoke_agent", "execute_tool", "generate_content",
                                     "text_completion", "embeddings", "create_agent", "retrieval"});

constexpr std::string_view kInvokeAgent = "invoke_agent ";
constexpr std::string_view kAgentRun = "agent_run [";

bool startsIgnoringCase(std::string_view text, std::string_view prefix) {
  return lowerCase(text.substr(0, prefix.size())) == prefix;
}

template <std::size_t N>
std::string_view operationOf(const std::array<Named, N>& known, std::string_view name) {
  const auto found = std::find_if(known.begin(), known.end(),
                                  [name](const Named& each) { return each.name == name; });
  return found == known.end() ? std::string_view() : found->operation;
}

std::string_view operationOfKind(const otlp::SpanTree& span) {
  for (const std::string_view key : kKindKeys) {
    const otlp::Value* value = span.attributes.find(key);
    const std::string_view* text = value == nullptr ? nullptr : value->asText();
    if (text == nullptr) continue;
    const std::string kind = lowerCase(*text);
    const std::string_view operation = operationOf(kKinds, kind);
    if (!operation.empty()) return operation;
    const bool wraps = std::find(kWrappers.begin(), kWrappers.end(), kind) != kWrappers.end();
    if (wraps && otlp::parentIdOf(*span.span).empty()) return kAgentOperation;
  }
  return {};
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

bool Conventions::isReserved(std::string_view key) const {
  return std::binary_search(reserved.begin(), reserved.end(), key);
}

const Conventions& conventions() {
  static const Conventions known = makeConventions();
  return known;
}

const otlp::Value* firstOf(const AttributeTree& attributes, const Keys& keys) {
  for (const std::string_view key : keys) {
    if (const otlp::Value* value = attributes.find(key)) return value;
  }
  return nullptr;
}

std::string_view frameworkOperation(const otlp::SpanTree& span) {
  if (const std::string_view known = operationOfKind(span); !known.empty()) return known;
  const std::string_view name = span.span->name;
  if (name.starts_with("ai.") && (name.ends_with(".doGenerate") || name.ends_with(".doStream")))
    return kChatOperation;
  if (name.starts_with(kAgentRun)) return kAgentOperation;
  if (const std::string_view known = operationOf(kSpanNames, name); !known.empty()) return known;
  const otlp::Value* type = span.attributes.find("llm.request.type");
  return type == nullptr || type->asText() == nullptr ? std::string_view()
                                                      : operationOf(kRequestTypes, *type->asText());
}

std::string_view operationInName(std::string_view span_name) {
  for (const std::string_view prefix : kNamePrefixes) {
    if (startsIgnoringCase(span_name, prefix)) return prefix;
  }
  return {};
}

std::string_view agentInName(std::string_view span_name) {
  if (startsIgnoringCase(span_name, kInvokeAgent))
    return trimmed(span_name.substr(kInvokeAgent.size()));
  if (span_name.starts_with(kAgentRun) && span_name.ends_with(']')) {
    span_name.remove_prefix(kAgentRun.size());
    span_name.remove_suffix(1);
    return span_name;
  }
  return {};
}

}  // namespace spindle::agents
