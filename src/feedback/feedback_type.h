#pragma once

#include <string>
#include <string_view>

namespace spindle::feedback {

/// Feedback types with their own rules; all other types are free-form.
enum class TypeKind {
  kReaction,           ///< svc.reaction.1
  kNote,               ///< svc.note.1
  kAnnotation,         ///< svc.annotation.<name>
  kRunnable,           ///< svc.runnable.<name>
  kAgentMonitor,       ///< svc.agent_monitor
  kAgentUserFeedback,  ///< svc.agent_user_feedback
  kOther,
};

struct FeedbackType {
  TypeKind kind = TypeKind::kOther;
  std::string name = {};  ///< set for kAnnotation and kRunnable
};

/// Parses a neutral type.
FeedbackType feedbackTypeOf(std::string_view type);

/// Returns the neutral form of a type or of a prefix of one.
std::string neutralTypePrefix(std::string_view prefix);

}  // namespace spindle::feedback
