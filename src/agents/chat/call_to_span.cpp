#include "agents/chat/call_to_span.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "agents/chat/chat_tree.h"
#include "agents/chat/model_exchange.h"
#include "base/core/ascii.h"
#include "objects/values/ref.h"
#include "pricing/cost_arithmetic.h"
#include "tracing/routes/call_usage.h"
#include "wire/spelling.h"

namespace spindle::agents {
namespace {

using tracing::Call;

/// Returns the name of the op, without the reference around it.
std::string nameOf(const Call& call) {
  const Result<objects::Ref> ref = objects::parseRef(call.op_name);
  return ref ? ref->name : call.op_name;
}

/// Returns the operation that the call's own attributes name, or an empty string.
std::string statedOperation(const Call& call) {
  const std::string attributes = call.attributes.value_or("");
  std::string operation = textAt(attributes, {"operation_name"});
  if (!operation.empty()) return operation;
  std::string kind = lowerCase(textAt(attributes, {"kind"}));
  for (const wire::Spelling spelling : {wire::Spelling::kNeutral, wire::Spelling::kVendor}) {
    if (kind.empty())
      kind = lowerCase(textAt(attributes, {std::string(wire::platformKey(spelling)), "kind"}));
  }
  if (kind == "agent") return std::string(kInvokeAgent);
  if (kind == "tool") return std::string(kExecuteTool);
  if (kind == "llm") return "chat";
  return {};
}

/// Returns the provider from the attributes, else from the name of the op, which begins with it.
std::string providerOf(const Call& call, const std::string& name) {
  std::string provider = lowerCase(textAt(call.attributes.value_or(""), {"provider"}));
  if (!provider.empty()) return provider;
  for (const std::string_view known : {"openai", "anthropic"}) {
    if (name.starts_with(known)) return std::string(known);
  }
  return {};
}

/// Fills the columns that every call has.
void fillBase(AgentSpan& span, const Call& call, const std::string& name) {
  span.trace_id = call.trace_id;
  span.span_id = call.id;
  span.parent_span_id = call.parent_id.value_or("");
  span.span_name = call.display_name.value_or(name);
  span.span_kind = "INTERNAL";
  span.started_at = call.started_at.value_or(Timestamp());
  span.ended_at = call.ended_at;
  span.status_code = call.exception ? "ERROR" : call.ended_at ? "OK" : "UNSET";
  span.status_message = call.exception.value_or("");
  span.conversation_id = call.thread_id.value_or("");
  span.svc_user_id = call.user_id.value_or("");
  span.provider_name = providerOf(call, name);
}

/// Fills the agent of a model request. The model and the tokens that the call states replace those
/// of its exchange.
void fillModelRequest(AgentSpan& span, const Call& call) {
  span.agent_name = textAt(call.attributes.value_or(""), {"agent_name"});
  pricing::Usage used;
  for (const auto& [model, usage] : tracing::usageOf(call)) {
    used += usage;
    if (span.request_model.empty()) span.request_model = model;
  }
  if (used.prompt_tokens == 0 && used.completion_tokens == 0) return;
  span.input_tokens = used.prompt_tokens;
  span.output_tokens = used.completion_tokens;
  span.cache_creation_input_tokens = used.cache_creation_input_tokens;
  span.cache_read_input_tokens = used.cache_read_input_tokens;
}

void fillFunction(AgentSpan& span, const Call& call, const std::string& name, bool is_root) {
  const std::string inputs = call.inputs.value_or("");
  span.operation_name = statedOperation(call);
  if (span.operation_name.empty())
    span.operation_name = is_root ? std::string(kInvokeAgent) : std::string(kExecuteTool);
  if (span.operation_name == kExecuteTool) {
    span.tool_name = name;
    span.tool_call_arguments = inputs == "{}" ? "" : inputs;
    span.tool_call_result = plainText(call.output.value_or(""));
    return;
  }
  if (span.operation_name == kInvokeAgent) {
    span.agent_name = textAt(call.attributes.value_or(""), {"agent_name"});
    if (span.agent_name.empty()) span.agent_name = name;
  }
  if (std::string prompt = promptOf(inputs); !prompt.empty())
    span.input_messages.push_back({"user", std::move(prompt), ""});
  if (std::string answer = plainText(call.output.value_or("")); !answer.empty())
    span.output_messages.push_back({"assistant", std::move(answer), ""});
}

/// The result of a tool that a model requested, and the time at which the model received it.
struct Outcome {
  std::string result;
  Timestamp received_at;
};

class Conversion {
 public:
  explicit Conversion(const std::vector<Call>& calls) {
    for (const Call& call : calls) known_.insert(call.id);
    for (const Call& call : calls) convert(call);
    addRequestedTools();
    // A caller of a model's client reports the same usage again.
    for (AgentSpan& span : spans_) {
      if (!calls_models_.contains(span.span_id)) continue;
      span.input_tokens = span.output_tokens = span.reasoning_tokens = 0;
      span.cache_creation_input_tokens = span.cache_read_input_tokens = 0;
    }
  }

  std::vector<AgentSpan> take() { return std::move(spans_); }

 private:
  struct Request {
    RequestedTool tool;
    std::size_t span;  ///< index of the span of the requesting model
  };

  void convert(const Call& call) {
    const std::string name = nameOf(call);
    const std::string stated = statedOperation(call);
    std::optional<ModelExchange> exchange;
    if (stated != kInvokeAgent && stated != kExecuteTool)
      exchange = exchangeOf(call.inputs.value_or(""), call.output.value_or(""));
    AgentSpan span = exchange ? std::move(exchange->span) : AgentSpan();
    fillBase(span, call, name);
    if (exchange) {
      for (RequestedTool& tool : exchange->requested)
        requests_.push_back({std::move(tool), spans_.size()});
      for (ToolOutcome& outcome : exchange->outcomes)
        outcomes_.try_emplace(outcome.id, Outcome{std::move(outcome.result), span.started_at});
      calls_models_.insert(span.parent_span_id);
      fillModelRequest(span, call);
    } else {
      fillFunction(span, call, name, !known_.contains(span.parent_span_id));
      functions_.insert(name);
    }
    spans_.push_back(std::move(span));
  }

  /// Adds the requested tools without a recorded call, as siblings of the model that requested
  /// them.
  void addRequestedTools() {
    for (Request& request : requests_) {
      if (functions_.contains(request.tool.name)) continue;
      const AgentSpan& model = spans_[request.span];
      AgentSpan span;
      span.trace_id = model.trace_id;
      span.span_id =
          request.tool.id.empty() ? model.span_id + ":" + request.tool.name : request.tool.id;
      if (!known_.insert(span.span_id).second) continue;
      // The root must stay the only span without a parent.
      span.parent_span_id =
          model.parent_span_id.empty() ? model.trace_id + ":tools" : model.parent_span_id;
      span.span_name = "execute_tool " + request.tool.name;
      span.span_kind = "INTERNAL";
      span.operation_name = kExecuteTool;
      span.status_code = "UNSET";
      span.conversation_id = model.conversation_id;
      span.started_at = model.ended_at.value_or(model.started_at);
      span.tool_name = std::move(request.tool.name);
      span.tool_call_id = std::move(request.tool.id);
      span.tool_call_arguments = std::move(request.tool.arguments);
      if (const auto found = outcomes_.find(span.tool_call_id); found != outcomes_.end()) {
        span.tool_call_result = found->second.result;
        span.ended_at = std::max(found->second.received_at, span.started_at);
        span.status_code = "OK";
      }
      spans_.push_back(std::move(span));
    }
  }

  std::unordered_set<std::string> known_;
  std::unordered_set<std::string> functions_;
  std::unordered_set<std::string> calls_models_;
  std::unordered_map<std::string, Outcome> outcomes_;
  std::vector<Request> requests_;
  std::vector<AgentSpan> spans_;
};

}  // namespace

std::vector<AgentSpan> spansOfCalls(const std::vector<Call>& calls) {
  return Conversion(calls).take();
}

}  // namespace spindle::agents
