#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/core/time.h"

namespace spindle::agents {

/// A span of a trace as the outline of the trace needs it: without messages and attributes.
struct OutlinedSpan {
  std::string span_id;
  std::string parent_span_id;  ///< empty: no parent
  std::string parent_call_id;  ///< the call that the span belongs to; empty: none
  std::string span_name;
  std::string operation_name;
  std::string status_code;
  Timestamp started_at;
  std::optional<Timestamp> ended_at;
  std::string model;  ///< of the response, else of the request
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cache_creation_input_tokens = 0;
  std::int64_t cache_read_input_tokens = 0;
};

}  // namespace spindle::agents
