#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"
#include "feedback/emoji.h"
#include "feedback/feedback.h"
#include "objects/values/ref_conversion.h"

namespace spindle::feedback {

/// Dependencies on other areas. Everything must outlive the validator and be thread-safe.
struct FeedbackValidatorPorts {
  const Clock& clock;
  const EmojiNames& emoji;
  /// Returns the JSON of an object version in a project. @return kNotFound, kUnavailable.
  std::function<Result<std::string>(
      std::string_view project_id, std::string_view object_id, std::string_view version)>
      object_value;
  /// Returns true if the project has this annotation queue.
  std::function<Result<bool>(std::string_view project_id, std::string_view queue_id)> queue_exists;
};

/// The author and the project of new feedback.
struct FeedbackOrigin {
  std::string project_id;  ///< internal
  std::string user_id;
  objects::RefProjects& projects;
};

/// Validates new feedback by the rules of its type and converts it to its stored form. Thread-safe.
class FeedbackValidator {
 public:
  explicit FeedbackValidator(FeedbackValidatorPorts ports) : ports_(std::move(ports)) {}

  /// `given` is the feedback as the client sent it, without target, user and time. An empty id is
  /// generated.
  /// @return kInvalidArgument for a violated rule, and the errors of the ports.
  Result<Feedback> validate(Feedback given, const FeedbackOrigin& origin) const;

 private:
  Result<void> checkAnnotation(const Feedback& feedback,
                               std::string_view name,
                               const FeedbackOrigin& origin) const;

  const FeedbackValidatorPorts ports_;
};

}  // namespace spindle::feedback
