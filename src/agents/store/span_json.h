#pragma once

#include <string>
#include <vector>

#include "agents/store/span.h"

namespace spindle::agents {

/// Convert messages to a JSON list and back. Other JSON gives no messages.
std::string messagesJson(const std::vector<SpanMessage>& messages);
std::vector<SpanMessage> parseMessages(const std::string& json);

// Return the maps of custom attributes as JSON objects.
std::string stringsJson(const CustomAttributes& custom);
std::string integersJson(const CustomAttributes& custom);
std::string realsJson(const CustomAttributes& custom);
std::string booleansJson(const CustomAttributes& custom);

}  // namespace spindle::agents
