#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "otlp/span_tree.h"
#include "tracing/call.h"
#include "tracing/call_intake_json.h"

namespace spindle::agents {

/// What a call is made of beside the span itself.
struct CallContext {
  std::string_view dump;  ///< otlp::dumpSpan()
  /// The resource, where the dump does not hold it.
  tracing::OtelResourcePtr resource = {};
  std::optional<std::string_view> run_id = {};  ///< that the request was routed to
};

/// A span as a call (agents.md §1.6): whole, or a start when the span is still open. Its `op_name`
/// is callNameOf() until setOp() gives it the reference of the op that the name stands for.
/// @return kInvalidArgument for ids that no call can have, and what takeComplete() returns.
Result<tracing::CallPart> callOf(const otlp::SpanTree& span,
                                 const CallContext& context,
                                 const tracing::Intake& intake);

/// Gives a call that callOf() made its op, by an internal reference.
void setOp(tracing::CallPart& call, std::string_view op_ref);

/// The name under which calls of a span are known: that of the span, not too long.
std::string callNameOf(const otlp::Span& span);

}  // namespace spindle::agents
