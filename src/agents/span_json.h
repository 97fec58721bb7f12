#pragma once

#include <string>
#include <vector>

#include "agents/span.h"

namespace spindle::agents {

/// Messages as a JSON list, and back. What is no list of messages reads as none.
std::string messagesJson(const std::vector<SpanMessage>& messages);
std::vector<SpanMessage> parseMessages(const std::string& json);

// The maps of custom attributes as JSON objects.
std::string stringsJson(const CustomAttributes& custom);
std::string integersJson(const CustomAttributes& custom);
std::string realsJson(const CustomAttributes& custom);
std::string booleansJson(const CustomAttributes& custom);

}  // namespace spindle::agents
