#pragma once

#include <string>

#include "agents/store/span.h"
#include "base/core/result.h"
#include "otlp/span_tree.h"

namespace spindle::agents {

/// Converts a span to a row of the agent views (agents.md §1.7): the attributes in `conventions.h`
/// fill columns, all others are custom attributes. The caller sets the server times, the user, the
/// run and the dump.
/// @return kInvalidArgument for an invalid value; the message is the name of an error class.
Result<AgentSpan> rowOf(const otlp::SpanTree& span);

}  // namespace spindle::agents
