#pragma once

#include "base/core/result.h"
#include "tracing/calls/call.h"

namespace spindle::tracing {

/// Merges one part into the known state of its call. Pure function; the order of parts hardly
/// matters:
/// - repeated starts: the first value of each field stays, and the newest display name;
/// - repeated ends: the last one wins, but a null does not remove an output or exception;
/// - a complete call replaces all earlier parts;
/// - a deleted call stays deleted.
/// `call` is default-constructed, except for its id, if nothing is known yet.
/// @return kNotFound for an end that requires a start and finds none.
Result<void> mergePart(Call& call, CallPart part);

}  // namespace spindle::tracing
