#include "agents/chat/chat_json.h"

#include <array>
#include <optional>
#include <variant>
#include <vector>

#include "base/core/time.h"

namespace spindle::agents {
namespace {

using json::Writer;

void writeText(Writer& out, const std::optional<std::string>& text) {
  if (text) {
    out.string(*text);
  } else {
    out.null();
  }
}

void writeTime(Writer& out, const std::optional<Timestamp>& time) {
  if (time) {
    out.string(formatTimestamp(*time));
  } else {
    out.null();
  }
}

void writeNumber(Writer& out, const std::optional<double>& number) {
  if (number) {
    out.number(*number);
  } else {
    out.null();
  }
}

void writeTexts(Writer& out, const std::vector<std::string>& texts) {
  out.beginArray();
  for (const std::string& text : texts) out.string(text);
  out.endArray();
}

struct WritePayload {
  Writer& out;

  void operator()(const UserMessage& said) const {
    out.beginObject().key("text").string(said.text).key("content_refs");
    writeTexts(out, said.content_refs);
    out.endObject();
  }
  void operator()(const AssistantMessage& said) const {
    out.beginObject().key("text").string(said.text).key("model").string(said.model);
    out.key("reasoning_content").string(said.reasoning_content);
    out.key("reasoning_tokens").integer(said.reasoning_tokens);
    out.key("input_tokens").integer(said.input_tokens);
    out.key("output_tokens").integer(said.output_tokens).key("input_cost_usd");
    writeNumber(out, said.input_cost_usd);
    out.key("output_cost_usd");
    writeNumber(out, said.output_cost_usd);
    out.key("total_cost_usd");
    writeNumber(out, said.total_cost_usd);
    out.key("duration_ms").integer(said.duration_ms).key("status").string(said.status);
    out.key("content_refs");
    writeTexts(out, said.content_refs);
    out.endObject();
  }
  void operator()(const ToolCall& call) const {
    out.beginObject().key("tool_name").string(call.tool_name).key("tool_arguments");
    writeText(out, call.tool_arguments);
    out.key("tool_result");
    writeText(out, call.tool_result);
    out.key("duration_ms").integer(call.duration_ms).key("status").string(call.status);
    out.key("content_refs");
    writeTexts(out, call.content_refs);
    out.endObject();
  }
  void operator()(const AgentStart& agent_start) const {
    out.beginObject().key("model").string(agent_start.model).key("system_instructions");
    writeText(out, agent_start.system_instructions);
    out.key("tool_definitions");
    writeText(out, agent_start.tool_definitions);
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
  out.beginObject().key("type").string(type).key("span_id");
  writeText(out, message.span_id);
  out.key("agent_name");
  writeText(out, message.agent_name);
  out.key("agent_version");
  writeText(out, message.agent_version);
  out.key("status_code");
  writeText(out, message.status_code);
  out.key("started_at");
  writeTime(out, message.started_at);
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
  out.key("started_at");
  writeTime(out, chat.root ? chat.root->started_at : std::nullopt);
  out.key("ended_at");
  writeTime(out, chat.root ? chat.root->ended_at : std::nullopt);
  text(wire::memberFor(spelling, "svc_user_id"), &Chat::Root::svc_user_id);
  out.key("total_duration_ms");
  if (chat.root) {
    out.integer(chat.root->duration_ms);
  } else {
    out.null();
  }
  out.key("total_cost_usd");
  writeNumber(out, chat.total_cost_usd);
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
