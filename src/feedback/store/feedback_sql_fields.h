#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/core/result.h"
#include "query/field.h"

namespace spindle::feedback {

/// Resolves the fields of feedback for queries and sort keys, over the rows `f`.
class FeedbackSqlFields final : public query::Fields {
 public:
  /// `project` is the value of project_id: entity/project.
  explicit FeedbackSqlFields(std::string_view project) : project_(project) {}

  /// @return the errors of feedbackField().
  Result<query::Field> resolve(std::string_view path) const override;

 private:
  std::string project_;
};

/// Resolves the `feedback.` fields of the calls `c`: `feedback.[<type>].payload.<path>`,
/// `…runnable_ref` and `…trigger_ref`, where the type may be `*`.
class CallFeedbackFields final : public query::Fields {
 public:
  /// `rows` is the FROM source of the project's feedback.
  explicit CallFeedbackFields(SqlText rows) : rows_(std::move(rows)) {}

  /// @return kUnprocessable for an unknown field.
  Result<query::Field> resolve(std::string_view path) const override;

 private:
  SqlText rows_;
};

}  // namespace spindle::feedback
