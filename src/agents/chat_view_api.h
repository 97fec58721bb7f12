#pragma once

#include "json/writer.h"
#include "schema/type.h"

namespace spindle::agents {

/// Descriptions of the answers; their texts are written by writeChat() and its neighbours.
schema::Codec<json::Text> chatCodec();
schema::Codec<json::Text> conversationChatCodec();
schema::Codec<json::Text> conversationSpansCodec();

}  // namespace spindle::agents
