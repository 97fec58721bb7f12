#include "feedback/feedback_api.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "feedback/feedback_type.h"
#include "http/router/route_group.h"
#include "wire/spelling.h"

namespace spindle::feedback {
namespace {

constexpr std::string_view kNoProject = "no-project";

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

using Decide = Result<identity::ProjectAccess> (identity::Access::*)(std::string_view,
                                                                     std::string_view,
                                                                     std::string_view);

Result<FeedbackProject> projectOf(const FeedbackServices& services,
                                  const http::Context& context,
                                  std::string_view project,
                                  Decide decide) {
  const identity::ProjectName name = TRY(identity::splitProjectName(project));
  const identity::ProjectAccess access =
      TRY((services.access.*decide)(context.caller().user_id, name.entity, name.project));
  return FeedbackProject{access.exists() ? access.project_id : std::string(kNoProject),
                         name.text()};
}

}  // namespace

Result<FeedbackProject> readableProject(const FeedbackServices& services,
                                        const http::Context& context,
                                        std::string_view project) {
  return projectOf(services, context, project, &identity::Access::readProject);
}

Result<FeedbackProject> writableProject(const FeedbackServices& services,
                                        const http::Context& context,
                                        std::string_view project) {
  return projectOf(services, context, project, &identity::Access::writeProject);
}

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
