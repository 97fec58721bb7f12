#include "query/expression.h"

namespace spindle::query {

void visit(const Expression& expression, const std::function<void(const Expression&)>& visitor) {
  visitor(expression);
  for (const Expression& operand : expression.operands) visit(operand, visitor);
}

void visit(Expression& expression, const std::function<void(Expression&)>& change) {
  change(expression);
  for (Expression& operand : expression.operands) visit(operand, change);
}

}  // namespace spindle::query
