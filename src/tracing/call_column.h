#pragma once

#include <cstddef>

namespace spindle::tracing {

/// The columns of a stored call, in the order of the family.
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
};
inline constexpr std::size_t kCallColumns =
    static_cast<std::size_t>(CallColumn::kDescendantErrors) + 1;

}  // namespace spindle::tracing
