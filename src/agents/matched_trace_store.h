#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agents/span_question.h"
#include "base/result.h"

namespace spindle::agents {

class ColumnarSpanStore;

/// The traces with a span of the selection, by the start of the first such span.
/// @return the errors of the query compiler.
Result<std::vector<std::string>> readMatchedTraces(const ColumnarSpanStore& spans,
                                                   std::string_view project_id,
                                                   const SpanSelection& selection,
                                                   std::int64_t limit);

/// A custom attribute of traces, where it is a number, true (1) or false (0): that of the span
/// which started last among those that have it.
Result<std::unordered_map<std::string, double>> readTraceNumbers(
    const ColumnarSpanStore& spans,
    std::string_view project_id,
    const std::vector<std::string>& trace_ids,
    const std::string& key);

}  // namespace spindle::agents
