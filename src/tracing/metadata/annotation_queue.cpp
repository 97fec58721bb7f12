#include "tracing/metadata/annotation_queue.h"

#include <algorithm>
#include <array>

namespace spindle::tracing {
namespace {

/// Names in the order of AnnotationState.
constexpr auto kStateNames =
    std::to_array<std::string_view>({"unstarted", "in_progress", "completed", "skipped"});

}  // namespace

std::string_view textOf(AnnotationState state) {
  return kStateNames.at(static_cast<std::size_t>(state));
}

std::optional<AnnotationState> annotationStateOf(std::string_view text) {
  const auto* const found = std::find(kStateNames.begin(), kStateNames.end(), text);
  if (found == kStateNames.end()) return std::nullopt;
  return static_cast<AnnotationState>(found - kStateNames.begin());
}

Result<bool> checkTransition(std::optional<AnnotationState> stored, AnnotationState wanted) {
  const bool done = wanted == AnnotationState::kCompleted || wanted == AnnotationState::kSkipped;
  if (stored && *stored == wanted) return false;
  if (!stored && (done || wanted == AnnotationState::kInProgress)) return true;
  if (stored == AnnotationState::kInProgress && done) return true;
  return Error::invalidArgument("Invalid state transition from '" +
                                std::string(textOf(stored.value_or(AnnotationState::kUnstarted))) +
                                "' to '" + std::string(textOf(wanted)) + "'");
}

}  // namespace spindle::tracing
