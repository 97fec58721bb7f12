#include "tracing/analysis/query_cost.h"

#include <string_view>
#include <utility>
#include <vector>

namespace spindle::tracing {
namespace {

using query::Expression, query::Operator;

bool isSlowField(std::string_view field) {
  if (field.starts_with("feedback.") || field.starts_with("annotation_queue_items.")) return true;
  if (field.starts_with("summary.svc.")) return false;
  const std::string_view column = field.substr(0, field.find('.'));
  return column == "inputs" || column == "output" || column == "attributes" || column == "summary";
}

bool isSlow(const Expression& expression) {
  bool slow = false;
  query::visit(expression, [&slow](const Expression& node) {
    slow = slow || (node.op == Operator::kField && isSlowField(node.field));
  });
  return slow;
}

std::optional<query::Query> allOf(std::vector<Expression> conditions) {
  if (conditions.empty()) return std::nullopt;
  Expression all;
  all.op = Operator::kAnd;
  all.operands = std::move(conditions);
  return query::Query{std::move(all)};
}

}  // namespace

SplitQuery splitByCost(const query::Query& query) {
  const Expression& root = query.expression;
  std::vector<Expression> fast;
  std::vector<Expression> slow;
  const auto add = [&](const Expression& condition) {
    (isSlow(condition) ? slow : fast).push_back(condition);
  };
  // An empty $and is an error of the query: keep it.
  if (root.op == Operator::kAnd && !root.operands.empty()) {
    for (const Expression& condition : root.operands) add(condition);
  } else {
    add(root);
  }
  return {allOf(std::move(fast)), allOf(std::move(slow))};
}

}  // namespace spindle::tracing
