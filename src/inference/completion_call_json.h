#pragma once

#include "inference/traced_completion.h"
#include "tracing/call_intake_json.h"

namespace spindle::inference {

/// A completion as a client would have traced it: the request is what went in, the answer what came
/// out, the usage stands in the summary under the model. A `traceparent` makes it a part of the
/// caller's trace.
tracing::CompleteInput callOf(const TracedCompletion& completion);

}  // namespace spindle::inference
