#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
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
  kUsageModels,
  kUsageModel,
  kUsageInput,
  kUsageOutput,
  kUsageTotal,
  kUsageCacheRead,
  kUsageCacheCreation,
};
inline constexpr std::size_t kCallColumns =
    static_cast<std::size_t>(CallColumn::kUsageCacheCreation) + 1;

/// Returns all columns in order.
inline std::vector<CallColumn> allCallColumns() {
  std::vector<CallColumn> columns;
  for (std::size_t i = 0; i < kCallColumns; ++i) columns.push_back(static_cast<CallColumn>(i));
  return columns;
}

/// The columns that a reader of calls uses. Other members of its calls have default values.
struct CallProjection {
  // NOLINTNEXTLINE(google-explicit-constructor): a list of columns is a projection
  CallProjection(std::vector<CallColumn> wanted) : columns(std::move(wanted)) {}
  CallProjection(std::initializer_list<CallColumn> wanted) : columns(wanted) {}

  std::vector<CallColumn> columns;
  /// If given, the reader returns only the first characters of the exception, attributes, inputs,
  /// output and summary, and sets Call::preview.
  std::optional<std::int64_t> preview_characters = {};
};

}  // namespace spindle::tracing
