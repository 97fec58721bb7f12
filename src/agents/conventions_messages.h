#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/span.h"
#include "otlp/value.h"

namespace spindle::agents {

/// Messages in the shapes that frameworks use among themselves, told apart by what is in them:
/// maps around a `message`, serialised LangChain objects, bodies of requests and answers, contents
/// of Gemini, plain texts. What is none of these gives no message.
std::vector<SpanMessage> messagesElsewhere(const otlp::Value& raw, std::string_view default_role);

/// What a model thought before it answered, where that stands beside the text of a message.
std::string reasoningElsewhere(const otlp::Value& raw);

}  // namespace spindle::agents
