#pragma once

#include <string>
#include <vector>

#include "agents/store/message_search.h"

namespace spindle::agents {

/// Returns the found messages as JSON, grouped by conversation, newest first. `truncate` shortens
/// their texts.
std::string searchJson(const std::vector<FoundMessage>& messages, bool truncate);

}  // namespace spindle::agents
