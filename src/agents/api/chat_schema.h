#pragma once

#include "json/writer.h"
#include "schema/type.h"

namespace spindle::agents {

/// Schemas of the responses. The JSON is written by writeChat(), readConversationChat() and
/// conversationSpansJson().
schema::Codec<json::Text> chatCodec();
schema::Codec<json::Text> conversationChatCodec();
schema::Codec<json::Text> conversationSpansCodec();

}  // namespace spindle::agents
