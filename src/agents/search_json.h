#pragma once

#include <string>
#include <vector>

#include "agents/span_search_store.h"

namespace spindle::agents {

/// What was found, by conversation, the newest first. `truncate` shows only how texts begin.
std::string searchJson(const std::vector<FoundMessage>& messages, bool truncate);

}  // namespace spindle::agents
