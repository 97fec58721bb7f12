#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/store/span.h"
#include "otlp/value.h"

namespace spindle::agents {

/// Reads messages in the formats of frameworks, recognised by their members: maps around a
/// `message`, serialised LangChain objects, request and response bodies, Gemini contents, plain
/// texts. Another format gives no message.
std::vector<SpanMessage> frameworkMessages(const otlp::Value& raw, std::string_view default_role);

/// Returns the reasoning of a model that is stored next to the text of a message.
std::string frameworkReasoning(const otlp::Value& raw);

}  // namespace spindle::agents
