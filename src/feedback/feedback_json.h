#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "feedback/feedback.h"
#include "json/writer.h"
#include "wire/spelling.h"

namespace spindle::feedback {

/// The members of feedback that a reader sees, in their order and in neutral spelling.
const std::vector<std::string_view>& feedbackColumns();

/// Writes the value of one column. `project` is what project_id shows. Refs stay internal.
void writeColumn(std::string_view column,
                 const Feedback& feedback,
                 std::string_view project,
                 wire::Spelling spelling,
                 json::Writer& out);

/// Feedback as it is shown inside the call that it is about: a JSON list. Refs stay internal.
std::string embeddedFeedback(const std::vector<Feedback>& feedback, wire::Spelling spelling);

}  // namespace spindle::feedback
