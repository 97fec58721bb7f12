#include "tracing/metadata/annotation_queue.h"

#include <algorithm>
#include <array>

namespace spindle::tracing {
namespace {

constexpr std::array kStates = {AnnotationState::kUnstarted, AnnotationState::kInProgress,
                                AnnotationState::kCompleted, AnnotationState::kSkipped};

}  // namespace

std::string_view textOf(AnnotationState state) {
  switch (state) {
    case AnnotationState::kUnstarted:
      return "unstarted";
    case AnnotationState::kInProgress:
      return "in_progress";
    case AnnotationState::kCompleted:
      return "completed";
    case AnnotationState::kSkipped:
      return "skipped";
  }
  return "";
}

std::optional<AnnotationState> annotationStateOf(std::string_view text) {
  const auto* const found = std::find_if(kStates.begin(), kStates.end(),
                                         [text](AnnotationState s) { return textOf(s) == text; });
  if (found == kStates.end()) return std::nullopt;
  return *found;
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
