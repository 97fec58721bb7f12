#pragma once

#include <string>

#include "agents/span.h"
#include "base/result.h"
#include "otlp/span_tree.h"

namespace spindle::agents {

/// A span as a row of the agent views (agents.md §1.7): columns from the attributes that
/// `conventions.h` names, everything else as custom attributes. The times of the server, the user
/// and the run are the caller's to fill in, and the dump.
/// @return kInvalidArgument, its message the name of a class of error, for a value that no row can
/// have.
Result<AgentSpan> rowOf(const otlp::SpanTree& span);

}  // namespace spindle::agents
