#pragma once

#include "base/result.h"
#include "tracing/call.h"

namespace spindle::tracing {

/// Puts one part into what is known of its call. Pure; the order of parts hardly matters:
///  - of repeated starts the first value of each field stays, and the newest display name;
///  - of repeated ends the last wins, but a null does not take an output or exception away;
///  - a complete call takes the place of all earlier parts;
///  - a deleted call stays deleted, whatever comes.
/// `call` is default-made, but for its id, when nothing is known yet.
/// @return kNotFound for an end that requires a start and finds none.
Result<void> mergePart(Call& call, CallPart part);

}  // namespace spindle::tracing
