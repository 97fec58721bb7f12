#pragma once

#include <optional>
#include <vector>

#include "agents/chat/chat.h"
#include "agents/store/span.h"
#include "pricing/cost_arithmetic.h"

namespace spindle::agents {

/// Maximum nesting of spans in the chat view; deeper spans are not shown.
inline constexpr int kChatDepth = 200;

/// Converts the spans of one trace to a conversation: agents, prompts, reasoning, answers and tool
/// calls. Each appears once, although spans repeat the history. `costs` has one entry per span,
/// empty if no price is known. Runs in linear time in the size of the spans, except for sorting.
Chat projectChat(const std::vector<AgentSpan>& spans,
                 const std::vector<std::optional<pricing::Cost>>& costs);

}  // namespace spindle::agents
