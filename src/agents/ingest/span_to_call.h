#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "otlp/span_tree.h"
#include "tracing/calls/call.h"
#include "tracing/ingest/call_ingest.h"

namespace spindle::agents {

/// The data of a call in addition to the span itself.
struct CallContext {
  std::string_view dump;  ///< otlp::dumpSpan()
  /// The resource, if the dump does not contain it.
  tracing::OtelResourcePtr resource = {};
  std::optional<std::string_view> run_id = {};  ///< the run that the resource names
};

/// Converts a span to a call (agents.md §1.6): a complete one, or a start if the span is open. Its
/// `op_name` is callNameOf() until setOp() replaces it by the reference of the op with that name.
/// @return kInvalidArgument for ids that are invalid for calls; the errors of toCallComplete().
Result<tracing::CallPart> callOf(const otlp::SpanTree& span,
                                 const CallContext& context,
                                 const tracing::IngestContext& intake);

/// Sets the op of a call from callOf(). `op_ref` is an internal reference.
void setOp(tracing::CallPart& call, std::string_view op_ref);

/// Returns the op name of a span's call: the span name, shortened.
std::string callNameOf(const otlp::Span& span);

}  // namespace spindle::agents
