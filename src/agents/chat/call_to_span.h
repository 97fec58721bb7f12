#pragma once

#include <vector>

#include "agents/store/span.h"
#include "tracing/calls/call.h"

namespace spindle::agents {

/// Converts the calls of one trace to spans, so that the chat view can show calls too.
///
/// Model calls are recognised by their arguments. Of the other calls, roots become agents and all
/// calls below become tools. A tool that a model requested without a recorded call becomes a span
/// too, with the result that the model received later.
std::vector<AgentSpan> spansOfCalls(const std::vector<tracing::Call>& calls);

}  // namespace spindle::agents
