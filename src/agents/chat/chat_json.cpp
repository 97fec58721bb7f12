#include "agents/chat/chat_json.h"

#include <array>
#include <optional>
#include <variant>
#include <vector>

#include "base/core/time.h"

namespace spindle::agents {
namespace {

using json::Writer;

// Write a member. An absent value is written as null.
void writeText(Writer& out, std::string_view key, const std::optional<std::string>& text) {
  out.key(key);
  text ? out.string(*text) : out.null();
}
void writeTime(Writer& out, std::string_view key, const std::optional<Timestamp>& time) {
  out.key(key);
  time ? out.string(formatTimestamp(*time)) : out.null();
}
void writeNumber(Writer& out, std::string_view key, const std::optional<double>& number) {
  out.key(key);
  number ? out.number(*number) : out.null();
}
void writeRefs(Writer& out, const std::vector<std::string>& refs) {
  out.key("content_refs").beginArray();
  for (const std::string& ref : refs) out.string(ref);
  out.endArray();
}

struct WritePayload {
  Writer& out;

  void operator()(const UserMessage& said) const {
    out.beginObject().key("text").string(said.text);
    writeRefs(out, said.content_refs);
    out.endObject();
  }
  void operator()(const AssistantMessage& said) const {
    out.beginObject().key("text").string(said.text).key("model").string(said.model);
    out.key("reasoning_content").string(said.reasoning_content);
    out.key("reasoning_tokens").integer(said.reasoning_tokens);
    out.key("input_tokens").integer(said.input_tokens);
    out.key("output_tokens").integer(said.output_tokens);
    writeNumber(out, "input_cost_usd", said.input_cost_usd);
    writeNumber(out, "output_cost_usd", said.output_cost_usd);
    writeNumber(out, "total_cost_usd", said.total_cost_usd);
    out.key("duration_ms").integer(said.duration_ms).key("status").string(said.status);
    writeRefs(out, said.content_refs);
    out.endObject();
  }
  void operator()(const ToolCall& call) const {
    out.beginObject().key("tool_name").string(call.tool_name);
    writeText(out, "tool_arguments", call.tool_arguments);
    writeText(out, "tool_result", call.tool_result);
    out.key("duration_ms").integer(call.duration_ms).key("status").string(call.status);
    writeRefs(out, call.content_refs);
    out.endObject();
  }
  void operator()(const AgentStart& agent_start) const {
    out.beginObject().key("model").string(agent_start.model);
    writeText(out, "system_instructions", agent_start.system_instructions);
    writeText(out, "tool_definitions", agent_start.tool_definitions);
    out.key("status").string(agent_start.status).endObject();
  }
  void operator()(const ContextCompacted& compacted) const {
    out.beginObject().key("compaction_summary").string(compacted.summary);
    out.key("compaction_items_before").integer(compacted.items_before);
    out.key("compaction_items_after").integer(compacted.items_after).endObject();
  }
};

/// In the order of the response; `agent_handoff` is reserved.
constexpr auto kPayloads =
    std::to_array<std::string_view>({"user_message", "assistant_message", "tool_call",
                                     "agent_start", "agent_handoff", "context_compacted"});

void writeMessage(const ChatMessage& message, const ChatFeedback* feedback, Writer& out) {
  const std::string_view type = typeOf(message);
  out.beginObject().key("type").string(type);
  writeText(out, "span_id", message.span_id);
  writeText(out, "agent_name", message.agent_name);
  writeText(out, "agent_version", message.agent_version);
  writeText(out, "status_code", message.status_code);
  writeTime(out, "started_at", message.started_at);
  for (const std::string_view payload : kPayloads) {
    out.key(payload);
    if (payload == type) {
      std::visit(WritePayload{out}, message.payload);
    } else {
      out.null();
    }
  }
  out.key("feedback");
  const std::string* said = nullptr;
  if (feedback != nullptr && message.span_id) {
    const auto found = feedback->by_span.find(*message.span_id);
    if (found != feedback->by_span.end()) said = &found->second;
  }
  if (said != nullptr) {
    out.raw(*said);
  } else {
    out.null();
  }
  out.endObject();
}

}  // namespace

void writeChat(std::string_view trace_id,
               const Chat& chat,
               const ChatFeedback* feedback,
               wire::Spelling spelling,
               Writer& out) {
  const auto text = [&](std::string_view name, std::string Chat::Root::*member) {
    out.key(name);
    if (chat.root) {
      out.string((*chat.root).*member);
    } else {
      out.null();
    }
  };
  out.beginObject().key("trace_id").string(trace_id);
  text("root_span_name", &Chat::Root::name);
  text("agent_name", &Chat::Root::agent_name);
  text("agent_version", &Chat::Root::agent_version);
  text("status_code", &Chat::Root::status_code);
  text("provider", &Chat::Root::provider);
  writeTime(out, "started_at", chat.root ? chat.root->started_at : std::nullopt);
  writeTime(out, "ended_at", chat.root ? chat.root->ended_at : std::nullopt);
  text(wire::memberFor(spelling, "svc_user_id"), &Chat::Root::svc_user_id);
  out.key("total_duration_ms");
  if (chat.root) {
    out.integer(chat.root->duration_ms);
  } else {
    out.null();
  }
  writeNumber(out, "total_cost_usd", chat.total_cost_usd);
  out.key("total_input_tokens").integer(chat.input_tokens);
  out.key("total_output_tokens").integer(chat.output_tokens);
  out.key("total_reasoning_tokens").integer(chat.reasoning_tokens);
  out.key("total_cache_creation_input_tokens").integer(chat.cache_creation_input_tokens);
  out.key("total_cache_read_input_tokens").integer(chat.cache_read_input_tokens);
  out.key("messages").beginArray();
  for (const ChatMessage& message : chat.messages) writeMessage(message, feedback, out);
  out.endArray().key("feedback");
  if (feedback != nullptr) {
    out.raw(feedback->turn);
  } else {
    out.null();
  }
  out.endObject();
}

}  // namespace spindle::agents
