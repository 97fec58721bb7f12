#pragma once

#include <string_view>

#include "base/core/sql_text.h"
#include "columnar/journal/family.h"
#include "feedback/feedback.h"

namespace spindle::columnar {
class Cursor;
}

namespace spindle::feedback {

/// Returns the columnar family of feedback: one row each, by project, in creation order.
columnar::Family feedbackFamily();

/// Returns the SQL name of a column of feedbackFamily().
SqlName columnNamed(std::string_view name);

columnar::Row rowOf(Feedback feedback);

/// Returns all columns of the rows `f` for a SELECT.
SqlText columnList();
/// Reads the current row of a cursor over columnList().
Feedback feedbackAt(const columnar::Cursor& row);

}  // namespace spindle::feedback
