#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/api/agents_api.h"
#include "agents/api/chat_schema.h"
#include "agents/chat/chat_reader.h"
#include "agents/chat/conversation_json.h"
#include "base/core/paging.h"
#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

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
  return Record<ChatBody>("TraceChatRequest")
      .required("project_id", &ChatBody::project_id, identity::projectIdCodec(), "entity/project")
      .required("trace_id", &ChatBody::trace_id, string(), "")
      .optional("include_feedback", &ChatBody::include_feedback, schema::boolean(),
                "Include the feedback on the turn and on its spans.")
      .codec();
}

Codec<ConversationBody> conversationBodyCodec() {
  return Record<ConversationBody>("ConversationChatRequest")
      .required("project_id", &ConversationBody::project_id, identity::projectIdCodec(),
                "entity/project")
      .required("conversation_id", &ConversationBody::conversation_id, string(), "")
      .optional("limit", &ConversationBody::limit, schema::integer({.ge = 0, .le = 50}),
                "Maximum number of turns.")
      .optional("offset", &ConversationBody::offset, schema::integer({.ge = 0, .le = kMaxRows}),
                "Number of the newest turns to skip.")
      .optional("include_feedback", &ConversationBody::include_feedback, schema::boolean(), "")
      .codec();
}

Codec<ConversationSpansBody> conversationSpansBodyCodec() {
  using B = ConversationSpansBody;
  return Record<B>("ConversationSpansRequest")
      .required("project_id", &B::project_id, identity::projectIdCodec(), "entity/project")
      .optional("conversation_ids", &B::conversation_ids,
                schema::list(string(), {.max_items = kMaxConversations}), "")
      .optional("started_after", &B::started_after, schema::nullable(zonedTime()),
                "Inclusive; with a time zone.")
      .optional("started_before", &B::started_before, schema::nullable(zonedTime()),
                "Exclusive; with a time zone.")
      .codec();
}

ChatPorts portsOf(const AgentServices& services) {
  return {services.spans, services.calls, services.feedback, services.prices};
}

Result<json::Text> shown(const AgentServices& services,
                         const Context& context,
                         Result<std::string> text) {
  if (!text) return std::move(text).error();
  TRY(showExternalRefs(services, context, *text));
  return json::Text{*std::move(text)};
}

Result<json::Text> traceChat(const AgentServices& services,
                             const Context& context,
                             const ChatBody& body) {
  const tracing::ProjectScope project = TRY(readableProject(services, context, body.project_id));
  return shown(services, context,
               readTraceChat(portsOf(services), project, body.trace_id,
                             {body.include_feedback, context.spelling()}));
}

Result<json::Text> conversationChat(const AgentServices& services,
                                    const Context& context,
                                    const ConversationBody& body) {
  const tracing::ProjectScope project = TRY(readableProject(services, context, body.project_id));
  return shown(services, context,
               readConversationChat(portsOf(services), project,
                                    {body.conversation_id, body.limit, body.offset},
                                    {body.include_feedback, context.spelling()}));
}

Result<json::Text> conversationSpans(const AgentServices& services,
                                     const Context& context,
                                     ConversationSpansBody body) {
  const tracing::ProjectScope project = TRY(readableProject(services, context, body.project_id));
  return json::Text{
      conversationSpansJson(services.spans, services.feedback, project,
                            {std::move(body.conversation_ids), timeOf(body.started_after),
                             timeOf(body.started_before), context.spelling()})};
}

}  // namespace

void addChatRoutes(AgentRoutes routes) {
  routes.post("/agents/traces/chat",
              {"traceChat", "Read a trace as a conversation",
               "The trace can consist of spans or of calls. An unknown trace has no messages."},
              {.body = chatBodyCodec(), .reply = chatCodec()}, traceChat);
  routes.post(
      "/agents/conversations/chat", {"conversationChat", "Read the turns of a conversation"},
      {.body = conversationBodyCodec(), .reply = conversationChatCodec()}, conversationChat);
  routes.post("/agents/conversations/spans",
              {"conversationSpans", "List the spans of conversations and their feedback"},
              {.body = conversationSpansBodyCodec(), .reply = conversationSpansCodec()},
              conversationSpans);
}

}  // namespace spindle::agents
