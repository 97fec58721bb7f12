#include "feedback/feedback_type.h"

#include "wire/spelling.h"

namespace spindle::feedback {

FeedbackType feedbackTypeOf(std::string_view type) {
  constexpr std::string_view kAnnotation = "svc.annotation.";
  constexpr std::string_view kRunnable = "svc.runnable.";
  if (type == "svc.reaction.1") return {TypeKind::kReaction};
  if (type == "svc.note.1") return {TypeKind::kNote};
  if (type == "svc.agent_monitor") return {TypeKind::kAgentMonitor};
  if (type == "svc.agent_user_feedback") return {TypeKind::kAgentUserFeedback};
  if (type.starts_with(kAnnotation))
    return {TypeKind::kAnnotation, std::string(type.substr(kAnnotation.size()))};
  if (type.starts_with(kRunnable))
    return {TypeKind::kRunnable, std::string(type.substr(kRunnable.size()))};
  return {};
}

std::string neutralTypePrefix(std::string_view prefix) {
  std::string neutral = wire::neutralFeedbackType(prefix);
  if (neutral != prefix) return neutral;
  // A family such as `svc.annotation.` is recognised only with a name after it.
  const std::string member = std::string(prefix).append("x");
  neutral = wire::neutralFeedbackType(member);
  if (neutral == member) return std::string(prefix);
  neutral.pop_back();
  return neutral;
}

}  // namespace spindle::feedback
