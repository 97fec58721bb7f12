#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "feedback/feedback_store.h"
#include "query/dialect.h"
#include "query/sql.h"

namespace spindle::feedback {

/// The feedback of a project in an engine.
struct FeedbackRows {
  query::Sql source;  ///< the FROM item, with the columns of feedbackFamily()
  const query::Dialect& dialect;
};

/// The statements of a page of feedback.
struct FeedbackPageStatements {
  query::Sql counting;  ///< one row: the number of matches before paging
  query::Sql rows;      ///< columnList(), then one text per path
};

/// Compiles a query of feedback. `project` is entity/project.
/// @return kInvalidArgument or kUnprocessable for an invalid query.
Result<FeedbackPageStatements> pageStatements(const FeedbackRows& rows,
                                              std::string_view project,
                                              const FeedbackQuery& request);

/// Returns the condition over rows `f` that feedback is about one of the targets, at least one.
query::Sql isAbout(std::string_view target_kind, const std::vector<std::string>& target_ids);

/// Returns the statement that reads columnList() of the feedback about targets, in creation order.
query::Sql targetsStatement(const FeedbackRows& rows,
                            std::string_view target_kind,
                            const std::vector<std::string>& target_ids);

/// Returns the condition of a filter over rows `f`.
query::Sql conditionOf(const PayloadFilter& filter);

/// Returns the statement that reads the payloads of feedback, newest first.
query::Sql payloadsStatement(const FeedbackRows& rows,
                             const PayloadFilter& filter,
                             std::int64_t limit);

}  // namespace spindle::feedback
