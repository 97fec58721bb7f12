#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agents/store/message_search.h"
#include "base/core/time.h"
#include "schema/type.h"

namespace spindle::agents {

/// The found messages of one conversation.
struct FoundConversation {
  std::string conversation_id;
  std::string conversation_name;
  std::string agent_name;
  std::vector<FoundMessage> matched_messages;
  Timestamp last_activity;
};
struct SearchResults {
  std::vector<FoundConversation> results;
  std::int64_t total_conversations = 0;
};
const schema::Codec<SearchResults>& searchResultsCodec();

/// Returns the found messages as JSON, grouped by conversation, newest first. `truncate` shortens
/// their texts.
std::string searchJson(std::vector<FoundMessage> messages, bool truncate);

}  // namespace spindle::agents
