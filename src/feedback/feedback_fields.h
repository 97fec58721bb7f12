#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace spindle::feedback {

enum class FeedbackFieldType {
  kText,
  kTime,
  kTexts,
  kProject,  ///< entity/project, which is not stored with the feedback
  kJson,     ///< the payload, or a map of strings or numbers
};

/// A field that queries, sort keys and responses may name.
struct FeedbackField {
  FeedbackFieldType type = FeedbackFieldType::kText;
  std::string name = {};               ///< the member of Feedback
  std::vector<std::string> path = {};  ///< inside JSON; empty: the whole value
};

/// Returns the field at a path in neutral spelling, such as `payload.score`.
/// @return kInvalidArgument for an unknown field, and the errors of query::splitPath().
Result<FeedbackField> feedbackField(std::string_view path);

}  // namespace spindle::feedback
