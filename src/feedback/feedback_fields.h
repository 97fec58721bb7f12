#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "query/field.h"

namespace spindle::feedback {

/// The fields of feedback for queries and sort keys, over the rows `f`.
class FeedbackFields final : public query::Fields {
 public:
  /// `project` is what project_id shows: entity/project.
  explicit FeedbackFields(std::string_view project) : project_(project) {}

  /// @return kInvalidArgument for an unknown field.
  Result<query::Field> resolve(std::string_view path) const override;

 private:
  std::string project_;
};

/// The fields behind `feedback.` of the calls `c`: `feedback.[<type>].payload.<path>`,
/// `…runnable_ref` and `…trigger_ref`, where the type may be `*`.
class CallFeedbackFields final : public query::Fields {
 public:
  /// `rows` is what to write behind FROM for the feedback of the project.
  explicit CallFeedbackFields(SqlText rows) : rows_(std::move(rows)) {}

  /// @return kUnprocessable for an unknown field.
  Result<query::Field> resolve(std::string_view path) const override;

 private:
  SqlText rows_;
};

}  // namespace spindle::feedback
