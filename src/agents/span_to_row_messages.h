#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/span.h"
#include "otlp/value.h"

namespace spindle::agents {

// What spans that follow the conventions say in their messages. Maps with positions for names must
// have been made lists (otlp::withLists).

/// One message for a text, one for a map with a role, one for each text and map of a list.
std::vector<SpanMessage> messagesOf(const otlp::Value& raw, std::string_view default_role);

/// The texts of the parts that are reasoning, one a line.
std::string reasoningOf(const otlp::Value& raw);

/// A text, or those in a list of texts and of maps with `content` or `text`.
std::vector<std::string> instructionsOf(const otlp::Value& raw);

}  // namespace spindle::agents
