#include "agents/query/search_json.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "agents/store/record_members.h"
#include "agents/store/text_characters.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::agents {
namespace {

constexpr std::string_view kNoConversation = "__NO_CONVERSATION__";
constexpr std::size_t kSearchPreviewCharacters = 500;

schema::Codec<FoundMessage> foundMessageCodec() {
  using schema::string;
  using M = FoundMessage;
  schema::Record<M> record("AgentSearchMatch");
  return addMembers(record, string(),
                    {{"span_id", &M::span_id},
                     {"trace_id", &M::trace_id},
                     {"role", &M::role},
                     {"content_preview", &M::content}})
      .required("content_digest", &M::digest, string(), "MD5 of the text.")
      .required("started_at", &M::started_at, schema::dateTime())
      .codec();
}

schema::Codec<FoundConversation> foundConversationCodec() {
  using schema::string;
  using C = FoundConversation;
  return schema::Record<C>("AgentSearchConversation")
      .required("conversation_id", &C::conversation_id, string(),
                "`__NO_CONVERSATION__` for spans without one.")
      .required("conversation_name", &C::conversation_name, string())
      .required("agent_name", &C::agent_name, string())
      .required("matched_messages", &C::matched_messages, schema::list(foundMessageCodec()),
                "Newest first.")
      .required("last_activity", &C::last_activity, schema::dateTime())
      .codec();
}

SearchResults grouped(std::vector<FoundMessage> messages) {
  SearchResults found;
  std::unordered_map<std::string, std::size_t> positions;
  for (FoundMessage& message : messages) {
    const auto [position, added] =
        positions.try_emplace(message.conversation_id, found.results.size());
    if (added) {
      found.results.emplace_back().conversation_id =
          message.conversation_id.empty() ? kNoConversation : message.conversation_id;
    }
    FoundConversation& conversation = found.results[position->second];
    if (conversation.conversation_name.empty())
      conversation.conversation_name = message.conversation_name;
    if (conversation.agent_name.empty()) conversation.agent_name = message.agent_name;
    conversation.last_activity = std::max(conversation.last_activity, message.started_at);
    conversation.matched_messages.push_back(std::move(message));
  }
  found.total_conversations = static_cast<std::int64_t>(found.results.size());
  return found;
}

}  // namespace

const schema::Codec<SearchResults>& searchResultsCodec() {
  static const schema::Codec<SearchResults> codec =
      schema::Record<SearchResults>("AgentSearchResults")
          .required("results", &SearchResults::results, schema::list(foundConversationCodec()))
          .required("total_conversations", &SearchResults::total_conversations, schema::integer(),
                    "Number of conversations on this page.")
          .codec();
  return codec;
}

std::string searchJson(std::vector<FoundMessage> messages, bool truncate) {
  for (FoundMessage& message : messages) {
    if (truncate)
      message.content.resize(firstCharacters(message.content, kSearchPreviewCharacters).size());
  }
  return searchResultsCodec().toJson(grouped(std::move(messages)));
}

}  // namespace spindle::agents
