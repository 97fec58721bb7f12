#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/store/span.h"
#include "otlp/value.h"

namespace spindle::agents {

// Messages of spans that follow the conventions. Maps with index names must have been converted to
// lists (otlp::withLists).

/// Returns one message for a text, one for a map with a role, one for each text and map of a list.
std::vector<SpanMessage> messagesOf(const otlp::Value& raw, std::string_view default_role);

/// Returns the texts of reasoning parts, one per line.
std::string reasoningOf(const otlp::Value& raw);

/// Returns a text, or the texts in a list of texts and of maps with `content` or `text`.
std::vector<std::string> instructionsOf(const otlp::Value& raw);

}  // namespace spindle::agents
