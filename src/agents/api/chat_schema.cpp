#include "agents/api/chat_schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/store/conversation.h"
#include "base/core/time.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "schema/validated_json.h"

namespace spindle::agents {
namespace {

using schema::Codec, schema::dateTime, schema::integer, schema::list, schema::nullable,
    schema::number, schema::Record, schema::string;

using Text = std::optional<std::string>;
using Texts = std::vector<std::string>;
using Count = std::optional<std::int64_t>;
using Amount = std::optional<double>;
using Items = std::optional<std::vector<json::Text>>;

struct UserDocument {
  std::string text;
  Texts content_refs;
};
struct AssistantDocument {
  std::string text;
  Text model;
  Text reasoning_content;
  Count reasoning_tokens;
  Count input_tokens;
  Count output_tokens;
  Amount input_cost_usd;
  Amount output_cost_usd;
  Amount total_cost_usd;
  Count duration_ms;
  Text status;
  Texts content_refs;
};
struct ToolDocument {
  Text tool_name;
  Text tool_arguments;
  Text tool_result;
  Count duration_ms;
  Text status;
  Texts content_refs;
};
struct StartDocument {
  Text model;
  Text system_instructions;
  Text tool_definitions;
  Text status;
};
struct HandoffDocument {};
struct CompactedDocument {
  Text compaction_summary;
  Count compaction_items_before;
  Count compaction_items_after;
};
struct MessageDocument {
  std::string type;
  Text span_id;
  Text agent_name;
  Text agent_version;
  Text status_code;
  std::optional<Timestamp> started_at;
  std::optional<UserDocument> user_message;
  std::optional<AssistantDocument> assistant_message;
  std::optional<ToolDocument> tool_call;
  std::optional<StartDocument> agent_start;
  std::optional<HandoffDocument> agent_handoff;
  std::optional<CompactedDocument> context_compacted;
  Items feedback;
};
struct ChatDocument {
  std::string trace_id;
  Text root_span_name;
  Text agent_name;
  Text agent_version;
  Text status_code;
  Text provider;
  std::optional<Timestamp> started_at;
  std::optional<Timestamp> ended_at;
  Text user_id;
  Count total_duration_ms;
  Amount total_cost_usd;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::int64_t cache_creation_tokens = 0;
  std::int64_t cache_read_tokens = 0;
  std::vector<MessageDocument> messages;
  Items feedback;
};
struct ConversationDocument {
  std::string conversation_id;
  std::vector<ChatDocument> turns;
  std::int64_t total_turns = 0;
  bool has_more = false;
  std::int64_t limit = 0;
  std::int64_t offset = 0;
  Amount total_cost_usd;
  Items feedback;
};
struct RatingDocument {
  std::string name;
  double value = 0;
  Text reason;
  Amount confidence;
};
struct StepFeedbackDocument {
  Text trace_id;
  std::string feedback_type;
  Texts tags;
  std::vector<RatingDocument> ratings;
};
struct StepsDocument {
  std::string conversation_id;
  std::vector<ConversationSpan> spans;
  std::vector<StepFeedbackDocument> feedback;
};
struct ConversationsDocument {
  std::vector<StepsDocument> conversations;
};

Codec<Text> text() { return nullable(string()); }
Codec<Count> count() { return nullable(integer()); }
Codec<Amount> amount() { return nullable(number()); }
Codec<Texts> texts() { return list(string()); }
Codec<Items> feedbackItems() { return nullable(list(schema::jsonObject())); }

Codec<UserDocument> userCodec() {
  return Record<UserDocument>("ChatUserMessage")
      .required("text", &UserDocument::text, string(), "")
      .required("content_refs", &UserDocument::content_refs, texts(),
                "References to attached files.")
      .codec();
}

Codec<AssistantDocument> assistantCodec() {
  using D = AssistantDocument;
  return Record<D>("ChatAssistantMessage")
      .required("text", &D::text, string(),
                "Empty if the model returned only reasoning, or failed.")
      .required("model", &D::model, text(), "")
      .required("reasoning_content", &D::reasoning_content, text(), "")
      .required("reasoning_tokens", &D::reasoning_tokens, count(), "")
      .required("input_tokens", &D::input_tokens, count(), "")
      .required("output_tokens", &D::output_tokens, count(), "")
      .required("input_cost_usd", &D::input_cost_usd, amount(), "Null if no price is known.")
      .required("output_cost_usd", &D::output_cost_usd, amount(), "")
      .required("total_cost_usd", &D::total_cost_usd, amount(), "")
      .required("duration_ms", &D::duration_ms, count(), "")
      .required("status", &D::status, text(), "")
      .required("content_refs", &D::content_refs, texts(), "")
      .codec();
}

Codec<ToolDocument> toolCodec() {
  using D = ToolDocument;
  return Record<D>("ChatToolCall")
      .required("tool_name", &D::tool_name, text(), "")
      .required("tool_arguments", &D::tool_arguments, text(), "")
      .required("tool_result", &D::tool_result, text(), "")
      .required("duration_ms", &D::duration_ms, count(), "")
      .required("status", &D::status, text(), "")
      .required("content_refs", &D::content_refs, texts(), "")
      .codec();
}

Codec<StartDocument> startCodec() {
  using D = StartDocument;
  return Record<D>("ChatAgentStart")
      .required("model", &D::model, text(), "")
      .required("system_instructions", &D::system_instructions, text(), "")
      .required("tool_definitions", &D::tool_definitions, text(), "JSON.")
      .required("status", &D::status, text(), "")
      .codec();
}

Codec<CompactedDocument> compactedCodec() {
  using D = CompactedDocument;
  return Record<D>("ChatContextCompacted")
      .required("compaction_summary", &D::compaction_summary, text(), "")
      .required("compaction_items_before", &D::compaction_items_before, count(), "")
      .required("compaction_items_after", &D::compaction_items_after, count(), "")
      .codec();
}

Codec<MessageDocument> messageCodec() {
  using D = MessageDocument;
  const Codec<HandoffDocument> handoff = Record<HandoffDocument>("ChatAgentHandoff").codec();
  return Record<D>("ChatMessage")
      .required("type", &D::type,
                schema::literal({"user_message", "assistant_message", "tool_call", "agent_handoff",
                                 "agent_start", "context_compacted"}),
                "Which of the members below is set; the others are null.")
      .required("span_id", &D::span_id, text(), "Null for user messages.")
      .required("agent_name", &D::agent_name, text(), "")
      .required("agent_version", &D::agent_version, text(), "")
      .required("status_code", &D::status_code, text(), "")
      .required("started_at", &D::started_at, nullable(dateTime()), "")
      .required("user_message", &D::user_message, nullable(userCodec()), "")
      .required("assistant_message", &D::assistant_message, nullable(assistantCodec()), "")
      .required("tool_call", &D::tool_call, nullable(toolCodec()), "")
      .required("agent_start", &D::agent_start, nullable(startCodec()), "")
      .required("agent_handoff", &D::agent_handoff, nullable(handoff), "Reserved.")
      .required("context_compacted", &D::context_compacted, nullable(compactedCodec()), "")
      .required("feedback", &D::feedback, feedbackItems(), "Feedback on the span.")
      .codec();
}

Codec<ChatDocument> chatDocumentCodec() {
  using D = ChatDocument;
  return Record<D>("TraceChat")
      .required("trace_id", &D::trace_id, string(), "")
      .required("root_span_name", &D::root_span_name, text(), "Null for an unknown trace.")
      .required("agent_name", &D::agent_name, text(), "")
      .required("agent_version", &D::agent_version, text(), "")
      .required("status_code", &D::status_code, text(), "")
      .required("provider", &D::provider, text(), "")
      .required("started_at", &D::started_at, nullable(dateTime()), "")
      .required("ended_at", &D::ended_at, nullable(dateTime()), "")
      .required("svc_user_id", &D::user_id, text(), "")
      .required("total_duration_ms", &D::total_duration_ms, count(), "Duration of the root span.")
      .required("total_cost_usd", &D::total_cost_usd, amount(), "Null if no price is known.")
      .required("total_input_tokens", &D::input_tokens, integer(), "")
      .required("total_output_tokens", &D::output_tokens, integer(), "")
      .required("total_reasoning_tokens", &D::reasoning_tokens, integer(), "")
      .required("total_cache_creation_input_tokens", &D::cache_creation_tokens, integer(), "")
      .required("total_cache_read_input_tokens", &D::cache_read_tokens, integer(), "")
      .required("messages", &D::messages, list(messageCodec()), "In reading order.")
      .required("feedback", &D::feedback, feedbackItems(), "With include_feedback.")
      .codec();
}

}  // namespace

Codec<json::Text> chatCodec() { return schema::validatedJson(chatDocumentCodec()); }

Codec<json::Text> conversationChatCodec() {
  using D = ConversationDocument;
  return schema::validatedJson(
      Record<D>("ConversationChat")
          .required("conversation_id", &D::conversation_id, string(), "")
          .required("turns", &D::turns, list(chatDocumentCodec()), "Oldest first.")
          .required("total_turns", &D::total_turns, integer(), "")
          .required("has_more", &D::has_more, schema::boolean(), "True if older turns follow.")
          .required("limit", &D::limit, integer(), "")
          .required("offset", &D::offset, integer(), "")
          .required("total_cost_usd", &D::total_cost_usd, amount(), "Cost of these turns.")
          .required("feedback", &D::feedback, feedbackItems(), "With include_feedback.")
          .codec());
}

Codec<json::Text> conversationSpansCodec() {
  const Codec<ConversationSpan> step =
      Record<ConversationSpan>("ConversationSpan")
          .required("operation_name", &ConversationSpan::operation_name, string(), "")
          .required("trace_id", &ConversationSpan::trace_id, string(), "")
          .required("span_id", &ConversationSpan::span_id, string(), "")
          .required("status", &ConversationSpan::status, string(), "")
          .required("duration_ms", &ConversationSpan::duration_ms, integer(), "")
          .codec();
  const Codec<RatingDocument> rating =
      Record<RatingDocument>("ConversationRating")
          .required("name", &RatingDocument::name, string(), "")
          .required("value", &RatingDocument::value, number(), "")
          .required("reason", &RatingDocument::reason, text(), "")
          .required("confidence", &RatingDocument::confidence, amount(), "")
          .codec();
  const Codec<StepFeedbackDocument> said =
      Record<StepFeedbackDocument>("ConversationFeedback")
          .required("trace_id", &StepFeedbackDocument::trace_id, text(),
                    "Null for feedback on the whole conversation.")
          .required("feedback_type", &StepFeedbackDocument::feedback_type, string(), "")
          .required("tags", &StepFeedbackDocument::tags, texts(), "")
          .required("ratings", &StepFeedbackDocument::ratings, list(rating), "")
          .codec();
  const Codec<StepsDocument> steps =
      Record<StepsDocument>("ConversationSpans")
          .required("conversation_id", &StepsDocument::conversation_id, string(), "")
          .required("spans", &StepsDocument::spans, list(step), "The newest 200, oldest first.")
          .required("spans_feedback", &StepsDocument::feedback, list(said), "")
          .codec();
  return schema::validatedJson(Record<ConversationsDocument>("ConversationsSpans")
                                   .required("conversations", &ConversationsDocument::conversations,
                                             list(steps),
                                             "One per id, in the order of the request.")
                                   .codec());
}

}  // namespace spindle::agents
