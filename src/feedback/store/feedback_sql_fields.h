#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/core/result.h"
#include "query/dialect.h"
#include "query/field.h"
#include "query/sql.h"

namespace spindle::feedback {

/// Resolves the fields of feedback for queries and sort keys, over the rows `f`.
class FeedbackSqlFields final : public query::Fields {
 public:
  /// `project` is the value of project_id: entity/project.
  explicit FeedbackSqlFields(std::string_view project,
                             const query::Dialect& dialect = query::duckDbDialect())
      : project_(project), dialect_(dialect) {}

  /// @return the errors of feedbackField().
  Result<query::Field> resolve(std::string_view path) const override;
  const query::Dialect& dialect() const override { return dialect_; }

 private:
  const std::string project_;
  const query::Dialect& dialect_;
};

/// Resolves the `feedback.` fields of the calls `c`: `feedback.[<type>].payload.<path>`,
/// `…runnable_ref` and `…trigger_ref`, where the type may be `*`.
class CallFeedbackFields final : public query::Fields {
 public:
  /// `rows` is the FROM item of the project's feedback.
  explicit CallFeedbackFields(query::Sql rows,
                              const query::Dialect& dialect = query::duckDbDialect())
      : rows_(std::move(rows)), dialect_(dialect) {}

  /// @return kUnprocessable for an unknown field.
  Result<query::Field> resolve(std::string_view path) const override;
  const query::Dialect& dialect() const override { return dialect_; }

 private:
  const query::Sql rows_;
  const query::Dialect& dialect_;
};

}  // namespace spindle::feedback
