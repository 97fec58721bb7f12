#include "agents/query/search_json.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "agents/store/text_characters.h"
#include "base/core/time.h"
#include "json/writer.h"

namespace spindle::agents {
namespace {

constexpr std::string_view kNoConversation = "__NO_CONVERSATION__";
constexpr std::size_t kSearchPreviewCharacters = 500;

struct Conversation {
  std::string_view name;
  std::string_view agent;
  Timestamp last_activity;
  std::vector<const FoundMessage*> messages;
};

}  // namespace

std::string searchJson(const std::vector<FoundMessage>& messages, bool truncate) {
  std::unordered_map<std::string_view, Conversation> conversations;
  std::vector<std::string_view> order;
  for (const FoundMessage& message : messages) {
    const auto [entry, added] = conversations.try_emplace(message.conversation_id);
    Conversation& conversation = entry->second;
    if (added) order.push_back(message.conversation_id);
    if (conversation.name.empty()) conversation.name = message.conversation_name;
    if (conversation.agent.empty()) conversation.agent = message.agent_name;
    conversation.last_activity = std::max(conversation.last_activity, message.started_at);
    conversation.messages.push_back(&message);
  }
  std::string text;
  json::Writer out(text);
  out.beginObject().key("results").beginArray();
  for (const std::string_view id : order) {
    const Conversation& conversation = conversations.at(id);
    out.beginObject().key("conversation_id").string(id.empty() ? kNoConversation : id);
    out.key("conversation_name").string(conversation.name);
    out.key("agent_name").string(conversation.agent).key("matched_messages").beginArray();
    for (const FoundMessage* message : conversation.messages) {
      out.beginObject().key("span_id").string(message->span_id);
      out.key("trace_id").string(message->trace_id).key("role").string(message->role);
      out.key("content_preview")
          .string(truncate ? firstCharacters(message->content, kSearchPreviewCharacters)
                           : std::string_view(message->content));
      out.key("content_digest").string(message->digest);
      out.key("started_at").string(formatTimestamp(message->started_at)).endObject();
    }
    out.endArray().key("last_activity").string(formatTimestamp(conversation.last_activity));
    out.endObject();
  }
  out.endArray().key("total_conversations").integer(static_cast<std::int64_t>(order.size()));
  out.endObject();
  return text;
}

}  // namespace spindle::agents
