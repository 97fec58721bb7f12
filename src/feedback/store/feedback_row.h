#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/core/sql_text.h"
#include "columnar/journal/family.h"
#include "feedback/feedback.h"
#include "feedback/feedback_columns.h"

namespace spindle::feedback {

/// Returns the columnar family of feedback: one row each, by project, in creation order.
columnar::Family feedbackFamily();

/// Returns the SQL name of a column of feedbackFamily().
SqlName columnNamed(std::string_view name);

columnar::Row rowOf(Feedback feedback);

/// Returns all columns of the rows `f` for a SELECT.
SqlText columnList();
/// Reads the current row of a cursor over columnList(). `Row` is the cursor of an engine.
template <class Row>
Feedback feedbackAt(const Row& row) {
  struct Read {
    const Row& row;
    std::size_t column;
    void operator()(std::string& out) const { out = row.text(column); }
    void operator()(std::optional<std::string>& out) const {
      if (!row.isNull(column)) out = row.text(column);
    }
    void operator()(std::vector<std::string>& out) const { out = row.texts(column); }
    void operator()(Timestamp& out) const { out = row.time(column); }
  };
  Feedback feedback;
  for (std::size_t i = 0; i < kFeedbackColumns.size(); ++i) {
    std::visit([&](auto member) { Read{row, i}(feedback.*member); }, kFeedbackColumns[i].member);
  }
  return feedback;
}

}  // namespace spindle::feedback
