#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/api/agent_routes.h"
#include "agents/api/span_request_schema.h"
#include "agents/chat/chat_reader.h"
#include "agents/chat/conversation_json.h"
#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "schema/validated_json.h"

namespace spindle::agents {
namespace {

using http::Context, http::Reply;
using schema::Codec, schema::Record, schema::string;

constexpr std::size_t kMaxConversations = 10'000;

struct ChatBody {
  std::string project_id;
  std::string trace_id;
  bool include_feedback = false;
};

struct ConversationBody {
  std::string project_id;
  std::string conversation_id;
  std::int64_t limit = 50;
  std::int64_t offset = 0;
  bool include_feedback = false;
};

struct ConversationSpansBody {
  std::string project_id;
  std::vector<std::string> conversation_ids;
  std::optional<std::string> started_after;
  std::optional<std::string> started_before;
};

/// Returns true if the time has a zone: `Z`, or a sign with hours and minutes after the time.
bool hasZone(std::string_view text) {
  const std::size_t time = text.find_first_of("Tt ");
  return time != std::string_view::npos &&
         text.find_first_of("Zz+-", time + 1) != std::string_view::npos;
}

Codec<std::string> zonedTime() {
  return schema::checked<std::string>(
      string({.format = "date-time"}),
      [](const std::string& text) -> std::optional<schema::RuleError> {
        if (!parseTimestamp(text))
          return schema::RuleError{"datetime_parsing", "Input should be a valid datetime", ""};
        if (!hasZone(text))
          return schema::RuleError{"timezone_aware", "Input should have timezone info", ""};
        return std::nullopt;
      });
}

std::optional<Timestamp> timeOf(const std::optional<std::string>& text) {
  return text ? parseTimestamp(*text).value : std::nullopt;
}

Codec<ChatBody> chatBodyCodec() {
  return identity::projectRecord<ChatBody>("TraceChatRequest")
      .required("trace_id", &ChatBody::trace_id, string())
      .optional("include_feedback", &ChatBody::include_feedback, schema::boolean(),
                "Include the feedback on the turn and on its spans.")
      .codec();
}

Codec<ConversationBody> conversationBodyCodec() {
  using B = ConversationBody;
  Record<B> record = identity::projectRecord<B>("ConversationChatRequest");
  record.required("conversation_id", &B::conversation_id, string());
  return addPage(record, {.ge = 0, .le = 50}, "Maximum number of turns.",
                 "Number of the newest turns to skip.")
      .optional("include_feedback", &B::include_feedback, schema::boolean())
      .codec();
}

Codec<ConversationSpansBody> conversationSpansBodyCodec() {
  using B = ConversationSpansBody;
  return identity::projectRecord<B>("ConversationSpansRequest")
      .optional("conversation_ids", &B::conversation_ids,
                schema::list(string(), {.max_items = kMaxConversations}))
      .optional("started_after", &B::started_after, schema::nullable(zonedTime()),
                "Inclusive; with a time zone.")
      .optional("started_before", &B::started_before, schema::nullable(zonedTime()),
                "Exclusive; with a time zone.")
      .codec();
}

ChatPorts portsOf(const AgentServices& services) {
  return {services.spans, services.calls, services.feedback, services.prices};
}

template <class Document>
Result<json::Text> shown(const AgentServices& services,
                         const Context& context,
                         const Codec<Document>& codec,
                         const Result<Document>& document) {
  if (!document) return document.error();
  std::string text = codec.toJson(*document, context.spelling());
  TRY(showExternalRefs(services, context, text));
  return json::Text{std::move(text)};
}

Result<json::Text> traceChat(const AgentServices& services,
                             const Context& context,
                             const ChatBody& body) {
  const tracing::ProjectScope project = TRY(readableProject(services, context, body.project_id));
  return shown(services, context, chatCodec(),
               readTraceChat(portsOf(services), project, body.trace_id,
                             {body.include_feedback, context.spelling()}));
}

Result<json::Text> conversationChat(const AgentServices& services,
                                    const Context& context,
                                    const ConversationBody& body) {
  const tracing::ProjectScope project = TRY(readableProject(services, context, body.project_id));
  return shown(services, context, conversationCodec(),
               readConversationChat(portsOf(services), project,
                                    {body.conversation_id, body.limit, body.offset},
                                    {body.include_feedback, context.spelling()}));
}

Result<ConversationsSpans> conversationSpans(const AgentServices& services,
                                             const Context& context,
                                             ConversationSpansBody body) {
  const tracing::ProjectScope project = TRY(readableProject(services, context, body.project_id));
  return readConversationsSpans(services.spans, services.feedback, project,
                                {std::move(body.conversation_ids), timeOf(body.started_after),
                                 timeOf(body.started_before), context.spelling()});
}

}  // namespace

void addChatRoutes(const AgentRoutes& routes) {
  routes.post("/agents/traces/chat",
              {"traceChat", "Read a trace as a conversation",
               "The trace can consist of spans or of calls. An unknown trace has no messages."},
              {.body = chatBodyCodec(), .reply = schema::validatedJson(chatCodec())}, traceChat);
  routes.post(
      "/agents/conversations/chat", {"conversationChat", "Read the turns of a conversation"},
      {.body = conversationBodyCodec(), .reply = schema::validatedJson(conversationCodec())},
      conversationChat);
  routes.post("/agents/conversations/spans",
              {"conversationSpans", "List the spans of conversations and their feedback"},
              {.body = conversationSpansBodyCodec(), .reply = conversationsSpansCodec()},
              conversationSpans);
}

}  // namespace spindle::agents
