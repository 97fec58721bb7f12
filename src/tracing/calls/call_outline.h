#pragma once

#include <optional>
#include <string>

#include "base/core/time.h"
#include "tracing/calls/call.h"

namespace spindle::tracing {

/// A call of a trace as the outline of the trace needs it: without payloads.
struct OutlinedCall {
  std::string id;
  std::optional<std::string> parent_id = {};
  std::string op_name = {};
  std::optional<std::string> display_name = {};
  Timestamp started_at = {};
  std::optional<Timestamp> ended_at = {};
  bool failed = false;
  // Statements of the attributes, shortened; empty if there are none.
  std::string operation = {};  ///< `operation_name`
  std::string kind = {};       ///< `kind`, also of the platform's own attributes
  /// The member `usage` of the summary, unless it is very large.
  std::optional<Payload> usage = {};
};

}  // namespace spindle::tracing
