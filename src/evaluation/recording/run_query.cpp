#include "evaluation/recording/run_query.h"

#include <string_view>
#include <utility>

namespace spindle::evaluation {
namespace {

using query::Expression;
using query::Operator;

Expression attribute(std::string_view name) {
  return {.op = Operator::kField, .field = "attributes.svc." + std::string(name)};
}

Expression isAmong(std::string_view name, const std::vector<std::string>& values) {
  Expression among{.op = Operator::kIn};
  among.operands.push_back(attribute(name));
  for (const std::string& value : values)
    among.operands.push_back({.op = Operator::kLiteral, .literal = value});
  return among;
}

Expression comparison(Operator op, std::string_view field, const std::string& value) {
  return {.op = op,
          .operands = {{.op = Operator::kField, .field = std::string(field)},
                       {.op = Operator::kLiteral, .literal = value}}};
}

/// Matches runs that follow a position: a later start, or the same start and a greater id.
Expression isAfter(const RunPosition& position, bool newest_first) {
  const Operator follows = newest_first ? Operator::kLt : Operator::kGt;
  const std::string time = formatTimestamp(position.started_at);
  Expression same_time{.op = Operator::kAnd,
                       .operands = {comparison(Operator::kEq, "started_at", time),
                                    comparison(follows, "id", position.id)}};
  return {.op = Operator::kOr,
          .operands = {comparison(follows, "started_at", time), std::move(same_time)}};
}

/// Selects the calls that satisfy all conditions.
tracing::CallQuery withAll(std::vector<Expression> conditions) {
  tracing::CallQuery selection;
  selection.query = query::Query{{.op = Operator::kAnd, .operands = std::move(conditions)}};
  return selection;
}

tracing::CallQuery ofRun(std::string_view kind, const std::optional<std::string>& run_id) {
  std::vector<Expression> conditions = {isAmong(kind, {"true"})};
  if (run_id) conditions.push_back(isAmong("evaluation_run_id", {*run_id}));
  return withAll(std::move(conditions));
}

}  // namespace

tracing::CallQuery runSelection(const RunFilter& filter) {
  std::vector<Expression> conditions = {isAmong("evaluation_run", {"true"})};
  if (!filter.evaluations.empty()) conditions.push_back(isAmong("evaluation", filter.evaluations));
  if (!filter.models.empty()) conditions.push_back(isAmong("model", filter.models));
  if (filter.after) conditions.push_back(isAfter(*filter.after, filter.newest_first));
  tracing::CallQuery selection = withAll(std::move(conditions));
  if (!filter.ids.empty()) selection.filter.call_ids = filter.ids;
  return selection;
}

tracing::CallQuery predictionSelection(const std::optional<std::string>& run_id) {
  return ofRun("prediction", run_id);
}

tracing::CallQuery scoreSelection(const std::optional<std::string>& run_id) {
  return ofRun("score", run_id);
}

}  // namespace spindle::evaluation
