#include "agents/chat/completion_span.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "agents/chat/model_exchange.h"
#include "base/crypto/crypto.h"

namespace spindle::agents {
namespace {

constexpr std::size_t kTraceIdBytes = 16;
constexpr std::size_t kSpanIdBytes = 8;

struct Names {
  std::string_view label;  ///< name of the agent and of the span
  std::string_view source;
};

Names namesOf(CompletionSource source) {
  return source == CompletionSource::kSignal ? Names{"Signal", "signal"}
                                             : Names{"Playground", "playground"};
}

template <std::size_t N>
std::string randomId() {
  std::string bytes(N, '\0');
  randomBytes(bytes.data(), bytes.size());
  return toHex(bytes);
}

/// Appends one line per requested tool to the text of the answer.
void addToolLines(const std::vector<RequestedTool>& tools, AgentSpan& span) {
  std::string lines;
  for (const RequestedTool& tool : tools) {
    if (!lines.empty()) lines += '\n';
    lines += "Tool call: " + tool.name + "(" + tool.arguments + ")";
  }
  if (lines.empty()) return;
  if (span.output_messages.empty()) span.output_messages.push_back({"assistant", "", ""});
  std::string& said = span.output_messages.back().content;
  said += (said.empty() ? "" : "\n") + lines;
}

}  // namespace

AgentSpan spanOfCompletion(const Completion& completion) {
  ModelExchange exchange =
      exchangeOf(completion.request, completion.response).value_or(ModelExchange());
  AgentSpan span = std::move(exchange.span);
  addToolLines(exchange.requested, span);
  const Names names = namesOf(completion.source);
  span.trace_id = randomId<kTraceIdBytes>();
  span.span_id = randomId<kSpanIdBytes>();
  span.span_name = names.label;
  span.agent_name = names.label;
  span.span_kind = "CLIENT";
  span.operation_name = "chat";
  span.started_at = completion.started_at;
  span.ended_at = completion.ended_at;
  span.status_code = completion.failure ? "ERROR" : completion.ended_at ? "OK" : "UNSET";
  if (completion.failure) {
    span.status_message = *completion.failure;
    span.error_type = "LLMError";
  }
  span.conversation_id = completion.conversation_id;
  span.svc_user_id = completion.user_id;
  span.created_at = completion.ended_at.value_or(completion.started_at);
  span.custom.strings.emplace("svc.source", names.source);
  return span;
}

}  // namespace spindle::agents
