#include "feedback/feedback_columns.h"

#include <algorithm>

namespace spindle::feedback {

const FeedbackColumn* findFeedbackColumn(std::string_view name) {
  const auto* found =
      std::find_if(kFeedbackColumns.begin(), kFeedbackColumns.end(),
                   [name](const FeedbackColumn& column) { return column.name.text() == name; });
  return found == kFeedbackColumns.end() ? nullptr : found;
}

}  // namespace spindle::feedback
