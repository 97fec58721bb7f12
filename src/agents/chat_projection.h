#pragma once

#include <optional>
#include <vector>

#include "agents/chat.h"
#include "agents/span.h"
#include "pricing/cost_arithmetic.h"

namespace spindle::agents {

/// Spans nested deeper than this are not shown.
inline constexpr int kChatDepth = 200;

/// Makes a conversation of the spans of one trace: who was asked what, what was thought, said and
/// done, each once although spans repeat the history. `costs` has an entry for each span, empty
/// where no price is known. Linear in the size of the spans but for sorting them.
Chat projectChat(const std::vector<AgentSpan>& spans,
                 const std::vector<std::optional<pricing::Cost>>& costs);

}  // namespace spindle::agents
