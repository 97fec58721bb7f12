#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agents/query/span_query.h"
#include "base/core/result.h"

namespace spindle::agents {

class ColumnarSpanStore;

/// Returns the traces that contain a matching span, sorted by the start of the first such span.
/// @return the errors of the query compiler.
Result<std::vector<std::string>> readMatchedTraces(const ColumnarSpanStore& spans,
                                                   std::string_view project_id,
                                                   const SpanFilter& filter,
                                                   std::int64_t limit);

/// Returns the value of a custom attribute per trace if it is a number, true (1) or false (0). If
/// several spans of a trace have it, the span that started last counts.
Result<std::unordered_map<std::string, double>> readTraceNumbers(
    const ColumnarSpanStore& spans,
    std::string_view project_id,
    const std::vector<std::string>& trace_ids,
    const std::string& key);

}  // namespace spindle::agents
