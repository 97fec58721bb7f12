#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "agents/chat/chat.h"
#include "json/writer.h"
#include "schema/type.h"

namespace spindle::agents {

/// Feedback on a turn and on its spans, as JSON lists.
struct ChatFeedback {
  json::Text turn = {"[]"};
  std::unordered_map<std::string, json::Text> by_span = {};
};

/// A message in a response.
struct ChatMessageDocument : ChatMessage {
  struct Handoff {};

  std::string type = {};
  std::optional<Handoff> agent_handoff = {};  ///< reserved; always null
  std::optional<json::Text> feedback = {};    ///< a list
};

/// The chat view of a trace in a response. The members of the root span are null for a trace
/// without spans.
struct ChatDocument : ChatTotals, Chat::Root {
  std::string trace_id;
  std::vector<ChatMessageDocument> messages;
  std::optional<json::Text> feedback;  ///< a list
};

/// A page of a conversation in a response.
struct ConversationDocument {
  std::string conversation_id;
  std::vector<ChatDocument> turns;
  std::int64_t total_turns = 0;
  bool has_more = false;
  std::int64_t limit = 0;
  std::int64_t offset = 0;
  std::optional<double> total_cost_usd;
  std::optional<json::Text> feedback;  ///< a list
};

/// Returns the chat view of one trace. References stay internal. `feedback` is absent if the client
/// did not request it.
ChatDocument chatDocument(std::string trace_id, Chat chat, std::optional<ChatFeedback> feedback);

const schema::Codec<ChatDocument>& chatCodec();
const schema::Codec<ConversationDocument>& conversationCodec();

}  // namespace spindle::agents
