#pragma once

#include <string>
#include <string_view>

namespace spindle::feedback {

/// The types that have rules of their own; everything else is free.
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
  std::string name = {};  ///< of kAnnotation and kRunnable
};

/// Of a neutral type.
FeedbackType feedbackTypeOf(std::string_view type);

/// The neutral form of a text that is a type or the beginning of one.
std::string neutralTypePrefix(std::string_view prefix);

}  // namespace spindle::feedback
