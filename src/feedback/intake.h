#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "feedback/emoji.h"
#include "feedback/feedback.h"
#include "objects/ref_conversion.h"

namespace spindle::feedback {

/// What the rules ask of other areas. Everything must outlive the intake and is thread-safe.
struct IntakePorts {
  const Clock& clock;
  const EmojiNames& emoji;
  /// The JSON of an object's version in a project. @return kNotFound, kUnavailable.
  std::function<Result<std::string>(
      std::string_view project_id, std::string_view object_id, std::string_view version)>
      object_value;
  /// Whether a project has this annotation queue.
  std::function<Result<bool>(std::string_view project_id, std::string_view queue_id)> queue_exists;
};

/// Who writes, and where.
struct Origin {
  std::string project_id;  ///< internal
  std::string user_id;
  objects::RefProjects& projects;
};

/// Checks new feedback by the rules of its type and makes it what is stored. Thread-safe.
class Intake {
 public:
  explicit Intake(IntakePorts ports) : ports_(std::move(ports)) {}

  /// `given` is as the client wrote it, without target, user and time; an empty id is filled.
  /// @return kInvalidArgument for a broken rule, what the ports return.
  Result<Feedback> accept(Feedback given, const Origin& origin) const;

 private:
  Result<void> checkAnnotation(const Feedback& feedback,
                               std::string_view name,
                               const Origin& origin) const;

  const IntakePorts ports_;
};

}  // namespace spindle::feedback
