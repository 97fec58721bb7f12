#pragma once

#include <cstddef>
#include <vector>

namespace spindle::tracing {

/// Columns of a stored call, in the order of the family.
enum class CallColumn : std::size_t {
  kId,
  kPresence,
  kTraceId,
  kParentId,
  kThreadId,
  kTurnId,
  kOpName,
  kDisplayName,
  kStartedAt,
  kEndedAt,
  kException,
  kAttributes,
  kInputs,
  kOutput,
  kSummary,
  kOtelDump,
  kUserId,
  kRunId,
  kRunStep,
  kRunStepEnd,
  kExpireAt,
  kInputRefs,
  kOutputRefs,
  kStartBytes,
  kOutputBytes,
  kSummaryBytes,
  kDescendantErrors,
  kOtelResource,
};
inline constexpr std::size_t kCallColumns = static_cast<std::size_t>(CallColumn::kOtelResource) + 1;

/// Returns all columns in order.
inline std::vector<CallColumn> allCallColumns() {
  std::vector<CallColumn> columns;
  for (std::size_t i = 0; i < kCallColumns; ++i) columns.push_back(static_cast<CallColumn>(i));
  return columns;
}

}  // namespace spindle::tracing
