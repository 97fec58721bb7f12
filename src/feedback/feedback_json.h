#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "feedback/feedback.h"
#include "json/writer.h"
#include "wire/spelling.h"

namespace spindle::feedback {

/// Returns the members of feedback in a response, in order and in neutral spelling.
const std::vector<std::string_view>& feedbackColumns();

/// Writes the value of one column. `project` is the value of project_id. Refs stay internal.
void writeColumn(std::string_view column,
                 const Feedback& feedback,
                 std::string_view project,
                 wire::Spelling spelling,
                 json::Writer& out);

/// Returns feedback as a JSON list, as embedded in the call that it is about. Refs stay internal.
std::string embeddedFeedback(const std::vector<Feedback>& feedback, wire::Spelling spelling);

}  // namespace spindle::feedback
