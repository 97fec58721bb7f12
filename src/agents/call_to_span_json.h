#pragma once

#include <vector>

#include "agents/span.h"
#include "tracing/call.h"

namespace spindle::agents {

/// The calls of one trace as spans, so that what came in as calls reads as a conversation too.
///
/// Calls of models are recognised by their arguments; of the others the roots are agents, and all
/// below are tools. Tools that a model asked for and that left no call of their own are spans as
/// well, with the result that the model was told later.
std::vector<AgentSpan> spansOfCalls(const std::vector<tracing::Call>& calls);

}  // namespace spindle::agents
