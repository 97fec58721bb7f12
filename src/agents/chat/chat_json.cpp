#include "agents/chat/chat_json.h"

#include <utility>
#include <variant>

#include "agents/store/record_members.h"
#include "schema/compound.h"
#include "schema/described.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "schema/validated_json.h"

namespace spindle::agents {
namespace {

using schema::Codec, schema::dateTime, schema::integer, schema::list, schema::nullable,
    schema::number, schema::Record, schema::string;

/// A member that this server always sets, but which clients must accept as null.
template <class T>
Codec<T> documentedAsNullable(const Codec<T>& codec) {
  return schema::describedAs(codec, Codec<T>(nullable(codec).type()));
}
Codec<std::string> text() { return documentedAsNullable(string()); }
Codec<std::int64_t> count() { return documentedAsNullable(integer()); }
Codec<std::optional<std::string>> textOrNull() { return nullable(string()); }
Codec<std::optional<double>> amount() { return nullable(number()); }
Codec<std::vector<std::string>> refs() { return list(string()); }

Codec<std::optional<json::Text>> feedbackList() {
  return nullable(schema::validatedJson(list(schema::jsonObject())));
}

/// The member for one kind of payload. It is null if the message has a payload of another kind.
template <class Kind>
Codec<ChatPayload> payloadOf(const Codec<Kind>& kind) {
  return Codec<ChatPayload>(schema::detail::nullableType(
      kind.type(),
      {[](void* payload) -> void* { return &static_cast<ChatPayload*>(payload)->emplace<Kind>(); },
       [](void* /*payload*/) {},
       [](const void* payload) -> const void* {
         return std::get_if<Kind>(static_cast<const ChatPayload*>(payload));
       }}));
}

/// Adds the members that end an assistant message and a tool call.
template <class Message>
Codec<Message> withOutcome(Record<Message>& record) {
  return record.required("duration_ms", &Message::duration_ms, count())
      .required("status", &Message::status, text())
      .required("content_refs", &Message::content_refs, refs())
      .codec();
}

/// Adds the agent and the status of a message or of a root span.
template <class Document>
Record<Document>& addAgent(Record<Document>& record) {
  return addMembers(record, textOrNull(),
                    {{"agent_name", &Document::agent_name},
                     {"agent_version", &Document::agent_version},
                     {"status_code", &Document::status_code}});
}

Codec<UserMessage> userCodec() {
  return Record<UserMessage>("ChatUserMessage")
      .required("text", &UserMessage::text, string())
      .required("content_refs", &UserMessage::content_refs, refs(), "References to attached files.")
      .codec();
}

Codec<AssistantMessage> assistantCodec() {
  using M = AssistantMessage;
  Record<M> record("ChatAssistantMessage");
  record.required("text", &M::text, string(),
                  "Empty if the model returned only reasoning, or failed.");
  addMembers(record, text(), {{"model", &M::model}, {"reasoning_content", &M::reasoning_content}});
  addMembers(record, count(),
             {{"reasoning_tokens", &M::reasoning_tokens},
              {"input_tokens", &M::input_tokens},
              {"output_tokens", &M::output_tokens}});
  record.required("input_cost_usd", &M::input_cost_usd, amount(), "Null if no price is known.");
  addMembers(record, amount(),
             {{"output_cost_usd", &M::output_cost_usd}, {"total_cost_usd", &M::total_cost_usd}});
  return withOutcome(record);
}

Codec<ToolCall> toolCodec() {
  Record<ToolCall> record("ChatToolCall");
  record.required("tool_name", &ToolCall::tool_name, text());
  addMembers(
      record, textOrNull(),
      {{"tool_arguments", &ToolCall::tool_arguments}, {"tool_result", &ToolCall::tool_result}});
  return withOutcome(record);
}

Codec<AgentStart> startCodec() {
  return Record<AgentStart>("ChatAgentStart")
      .required("model", &AgentStart::model, text())
      .required("system_instructions", &AgentStart::system_instructions, textOrNull())
      .required("tool_definitions", &AgentStart::tool_definitions, textOrNull(), "JSON.")
      .required("status", &AgentStart::status, text())
      .codec();
}

Codec<ContextCompacted> compactedCodec() {
  using P = ContextCompacted;
  Record<P> record("ChatContextCompacted");
  record.required("compaction_summary", &P::summary, text());
  return addMembers(record, count(),
                    {{"compaction_items_before", &P::items_before},
                     {"compaction_items_after", &P::items_after}})
      .codec();
}

Codec<ChatMessageDocument> messageCodec() {
  using D = ChatMessageDocument;
  Record<D> record("ChatMessage");
  record
      .required("type", &D::type,
                schema::literal({"user_message", "assistant_message", "tool_call", "agent_handoff",
                                 "agent_start", "context_compacted"}),
                "Which of the members below is set; the others are null.")
      .required("span_id", &D::span_id, textOrNull(), "Null for user messages.");
  return addAgent(record)
      .required("started_at", &D::started_at, nullable(dateTime()))
      .required("user_message", &D::payload, payloadOf(userCodec()))
      .required("assistant_message", &D::payload, payloadOf(assistantCodec()))
      .required("tool_call", &D::payload, payloadOf(toolCodec()))
      .required("agent_start", &D::payload, payloadOf(startCodec()))
      .required("agent_handoff", &D::agent_handoff,
                nullable(Record<D::Handoff>("ChatAgentHandoff").codec()), "Reserved.")
      .required("context_compacted", &D::payload, payloadOf(compactedCodec()))
      .required("feedback", &D::feedback, feedbackList(), "Feedback on the span.")
      .codec();
}

Codec<ChatDocument> makeChatCodec() {
  using D = ChatDocument;
  Record<D> record("TraceChat");
  record.required("trace_id", &D::trace_id, string())
      .required("root_span_name", &D::name, textOrNull(), "Null for an unknown trace.");
  addAgent(record).required("provider", &D::provider, textOrNull());
  addMembers(record, nullable(dateTime()),
             {{"started_at", &D::started_at}, {"ended_at", &D::ended_at}});
  record.required("svc_user_id", &D::svc_user_id, textOrNull())
      .required("total_duration_ms", &D::duration_ms, nullable(integer()),
                "Duration of the root span.")
      .required("total_cost_usd", &D::total_cost_usd, amount(), "Null if no price is known.");
  addMembers(record, integer(),
             {{"total_input_tokens", &D::input_tokens},
              {"total_output_tokens", &D::output_tokens},
              {"total_reasoning_tokens", &D::reasoning_tokens},
              {"total_cache_creation_input_tokens", &D::cache_creation_input_tokens},
              {"total_cache_read_input_tokens", &D::cache_read_input_tokens}});
  return record.required("messages", &D::messages, list(messageCodec()), "In reading order.")
      .required("feedback", &D::feedback, feedbackList(), "With include_feedback.")
      .codec();
}

}  // namespace

ChatDocument chatDocument(std::string trace_id, Chat chat, std::optional<ChatFeedback> feedback) {
  ChatDocument document;
  static_cast<ChatTotals&>(document) = static_cast<const ChatTotals&>(chat);
  document.trace_id = std::move(trace_id);
  if (chat.root) static_cast<Chat::Root&>(document) = *std::move(chat.root);
  document.messages.reserve(chat.messages.size());
  for (ChatMessage& message : chat.messages) {
    ChatMessageDocument& shown = document.messages.emplace_back();
    shown.type = typeOf(message);
    if (feedback && message.span_id) {
      const auto found = feedback->by_span.find(*message.span_id);
      if (found != feedback->by_span.end()) shown.feedback = found->second;
    }
    static_cast<ChatMessage&>(shown) = std::move(message);
  }
  if (feedback) document.feedback = std::move(feedback->turn);
  return document;
}

const Codec<ChatDocument>& chatCodec() {
  static const Codec<ChatDocument> codec = makeChatCodec();
  return codec;
}

const Codec<ConversationDocument>& conversationCodec() {
  using D = ConversationDocument;
  static const Codec<D> codec =
      Record<D>("ConversationChat")
          .required("conversation_id", &D::conversation_id, string())
          .required("turns", &D::turns, list(chatCodec()), "Oldest first.")
          .required("total_turns", &D::total_turns, integer())
          .required("has_more", &D::has_more, schema::boolean(), "True if older turns follow.")
          .required("limit", &D::limit, integer())
          .required("offset", &D::offset, integer())
          .required("total_cost_usd", &D::total_cost_usd, amount(), "Cost of these turns.")
          .required("feedback", &D::feedback, feedbackList(), "With include_feedback.")
          .codec();
  return codec;
}

}  // namespace spindle::agents
