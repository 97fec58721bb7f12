#include "feedback/feedback_api.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "feedback/feedback_routes.h"
#include "feedback/feedback_type.h"
#include "http/router/route_group.h"
#include "wire/spelling.h"

namespace spindle::feedback {
namespace {

void neutralizeTypes(query::Expression& node) {
  const bool of_type =
      std::any_of(node.operands.begin(), node.operands.end(), [](const query::Expression& operand) {
        return operand.op == query::Operator::kField && operand.field == "feedback_type";
      });
  if (!of_type) return;
  for (query::Expression& operand : node.operands) {
    if (auto* text = std::get_if<std::string>(&operand.literal)) *text = neutralTypePrefix(*text);
  }
}

}  // namespace

Result<std::string> storedRef(std::string_view text, objects::RefProjects& projects) {
  std::string internal = TRY(objects::internalRef(text, projects));
  return objects::neutralRef(internal);
}

Result<void> internalizeQuery(query::Query& query, objects::RefProjects& projects) {
  std::optional<Error> broken;
  query::visit(query.expression, [&broken, &projects](query::Expression& node) {
    neutralizeTypes(node);
    auto* text = std::get_if<std::string>(&node.literal);
    if (text == nullptr || wire::splitRef(*text).scheme == wire::RefScheme::kNone) return;
    Result<std::string> ref = storedRef(*text, projects);
    if (ref) {
      *text = *std::move(ref);
    } else if (!broken) {
      broken = std::move(ref).error();
    }
  });
  if (broken) return *std::move(broken);
  return {};
}

void addFeedbackRoutes(FeedbackRoutes routes) {
  routes.setTag("feedback");
  addFeedbackWriteRoutes(routes);
  addFeedbackReadRoutes(routes);
  addFeedbackAggregateRoutes(routes);
  addFeedbackStatisticsRoutes(routes);
}

}  // namespace spindle::feedback
