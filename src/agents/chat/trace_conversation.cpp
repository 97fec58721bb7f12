#include "agents/chat/trace_conversation.h"

#include <algorithm>
#include <utility>

#include "agents/chat/chat_projection.h"
#include "agents/chat/chat_tree.h"
#include "json/writer.h"
#include "tracing/calls/chat_message_json.h"

namespace spindle::agents {
namespace {

using tracing::ChatMessageJson;
using tracing::textMessageJson;

/// Ends the conversation at its last answer. Returns nothing without an answer.
std::optional<TraceConversation> endAtLastAnswer(std::vector<ChatMessageJson> messages,
                                                 std::optional<std::string> tools) {
  while (!messages.empty() && messages.back().role != "assistant") messages.pop_back();
  if (messages.size() < 2) return std::nullopt;
  TraceConversation made;
  made.answer = std::move(messages.back().json);
  messages.pop_back();
  std::vector<std::string> texts;
  texts.reserve(messages.size());
  for (ChatMessageJson& message : messages) texts.push_back(std::move(message.json));
  made.messages = tracing::listJson(texts);
  made.tools = std::move(tools);
  return made;
}

/// Returns the tool definitions of `first`, else of the first span that has any.
std::optional<std::string> toolsOf(const std::vector<AgentSpan>& spans, const AgentSpan* first) {
  std::optional<std::string> tools;
  if (first != nullptr) tools = tracing::chatToolsOf(first->tool_definitions);
  for (const AgentSpan& span : spans) {
    if (tools) break;
    tools = tracing::chatToolsOf(span.tool_definitions);
  }
  return tools;
}

bool isAnswer(const AgentSpan& span) {
  return span.operation_name != kInvokeAgent && span.operation_name != kExecuteTool &&
         !span.output_messages.empty() && span.status_code != "ERROR";
}

bool isEmptyMessage(const SpanMessage& message) {
  return message.content.empty() || message.content == "[]";
}

/// Returns true if the input of span `last` contains the complete history.
bool containsHistory(const std::vector<AgentSpan>& spans, std::size_t last) {
  const std::vector<SpanMessage>& given = spans[last].input_messages;
  if (given.empty() || isEmptyMessage(spans[last].output_messages.front())) return false;
  bool answered = false;
  for (const SpanMessage& message : given) {
    const bool assistant = message.role == "assistant" || message.role == "model";
    answered = answered || assistant;
    // Tool calls outside the content are not stored, nor the call that a plain-text result belongs
    // to.
    if (assistant && isEmptyMessage(message)) return false;
    if (message.role == "tool" && !message.content.starts_with('[')) return false;
  }
  if (answered) return true;
  return std::none_of(spans.begin(), spans.begin() + static_cast<std::ptrdiff_t>(last),
                      [&](const AgentSpan& span) {
                        return span.parent_span_id == spans[last].parent_span_id && isAnswer(span);
                      });
}

std::optional<TraceConversation> fromSpan(const std::vector<AgentSpan>& spans,
                                          const AgentSpan& span) {
  std::vector<ChatMessageJson> messages;
  const std::vector<SpanMessage>& given = span.input_messages;
  const bool instructed = std::any_of(given.begin(), given.end(), [](const SpanMessage& message) {
    return message.role == "system" || message.role == "developer";
  });
  if (!instructed && !span.system_instructions.empty()) {
    std::string words;
    for (const std::string& text : span.system_instructions) {
      words += (words.empty() ? "" : "\n") + text;
    }
    messages.push_back({"system", textMessageJson("system", words)});
  }
  const auto add = [&messages](const SpanMessage& message) {
    for (ChatMessageJson& one : tracing::chatMessagesOf(message.role, message.content)) {
      messages.push_back(std::move(one));
    }
  };
  for (const SpanMessage& message : given) add(message);
  add(span.output_messages.front());
  return endAtLastAnswer(std::move(messages), toolsOf(spans, &span));
}

/// Builds a conversation from the messages of the chat view.
class ConversationBuilder {
 public:
  explicit ConversationBuilder(const std::vector<AgentSpan>& spans) {
    for (const AgentSpan& span : spans) {
      if (isAnswer(span)) requested_at_.push_back(span.started_at);
    }
  }

  void operator()(const ChatMessage& message) {
    at_ = message.started_at;
    std::visit([this](const auto& payload) { append(payload); }, message.payload);
  }

  std::vector<ChatMessageJson> messages() && {
    flush();
    return std::move(messages_);
  }

 private:
  void append(const UserMessage& said) {
    flush();
    messages_.push_back({"user", textMessageJson("user", said.text)});
  }
  void append(const AssistantMessage& said) {
    if (said.text.empty()) return;
    flush();
    text_ = said.text;
    open_ = true;
  }
  void append(const ToolCall& call) {
    if (!open_ || requestedSince()) flush();
    open_ = true;
    last_call_ = at_;
    const std::string id = "call_" + std::to_string(++calls_made_);
    calls_.push_back(tracing::toolCallJson(id, call.tool_name, call.tool_arguments.value_or("")));
    results_.push_back({"tool", tracing::toolMessageJson(id, call.tool_result.value_or(""))});
  }
  void append(const AgentStart& start) {
    // Agents that start later have instructions of their own.
    if (!start.system_instructions || instructed_ || open_) return;
    const bool answered = std::any_of(messages_.begin(), messages_.end(), [](const auto& message) {
      return message.role == "assistant";
    });
    if (answered) return;
    // The chat view shows the prompt before the start of the agent.
    messages_.insert(messages_.begin(),
                     {"system", textMessageJson("system", *start.system_instructions)});
    instructed_ = true;
  }
  void append(const ContextCompacted& /*compacted*/) {}

  /// Returns true if a model request started between the last tool call and this one. Then this
  /// call belongs to a new assistant message.
  bool requestedSince() const {
    if (calls_.empty() || !last_call_ || !at_) return false;
    return std::any_of(requested_at_.begin(), requested_at_.end(),
                       [this](Timestamp asked) { return asked > *last_call_ && asked <= *at_; });
  }

  void flush() {
    if (!open_) return;
    std::string text;
    json::Writer out(text);
    out.beginObject().key("role").string("assistant").key("content");
    if (text_.empty()) {
      out.null();
    } else {
      out.string(text_);
    }
    if (!calls_.empty()) out.key("tool_calls").raw(tracing::listJson(calls_));
    out.endObject();
    messages_.push_back({"assistant", std::move(text)});
    for (ChatMessageJson& result : results_) messages_.push_back(std::move(result));
    text_.clear();
    calls_.clear();
    results_.clear();
    last_call_.reset();
    open_ = false;
  }

  std::vector<Timestamp> requested_at_;
  std::vector<ChatMessageJson> messages_;
  std::optional<Timestamp> at_;
  std::optional<Timestamp> last_call_;
  int calls_made_ = 0;
  bool instructed_ = false;
  // The assistant message under construction.
  bool open_ = false;
  std::string text_;
  std::vector<std::string> calls_;
  std::vector<ChatMessageJson> results_;
};

}  // namespace

std::optional<TraceConversation> conversationOf(const std::vector<AgentSpan>& spans) {
  for (std::size_t i = spans.size(); i-- > 0;) {
    if (!isAnswer(spans[i])) continue;
    if (containsHistory(spans, i)) return fromSpan(spans, spans[i]);
    break;
  }
  const Chat chat = projectChat(spans, std::vector<std::optional<pricing::Cost>>(spans.size()));
  ConversationBuilder builder(spans);
  for (const ChatMessage& message : chat.messages) builder(message);
  return endAtLastAnswer(std::move(builder).messages(), toolsOf(spans, nullptr));
}

}  // namespace spindle::agents
