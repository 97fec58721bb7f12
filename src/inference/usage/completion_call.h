#pragma once

#include "inference/usage/traced_completion.h"
#include "tracing/ingest/call_ingest.h"

namespace spindle::inference {

/// Converts a completion to the call that an SDK would have recorded: the request as inputs, the
/// response as output, and the usage in the summary under the model. A `traceparent` header makes
/// the call a part of the client's trace.
tracing::CompleteInput callOf(const TracedCompletion& completion);

}  // namespace spindle::inference
