#include "training/api/group_route.h"

#include <memory>

#include "http/router/route_group.h"
#include "training/api/training_views.h"

namespace spindle::training {
namespace {

/// The parts of a request that a handler needs after the body has arrived.
struct CapturedContext {
  explicit CapturedContext(const http::Context& of)
      : request(of.request), path(of.path_parameters) {}

  http::Request request;
  const std::vector<http::NamedText> path;
  const http::QueryParameters query = {};
  http::Context context{request, path, query};
};

http::Response jsonResponse(Result<std::string> json, http::ErrorShape errors) {
  if (!json) return http::errorResponse(json.error(), errors);
  http::Response response;
  response.headers.set("Content-Type", "application/json");
  response.body = *std::move(json);
  return response;
}

}  // namespace

http::Route groupRoute(const TrainingRoutes& routes,
                       std::string_view path,
                       const http::OperationText& text,
                       GroupHandler handle) {
  http::Route route;
  route.method = http::Method::kPost;
  route.path = path;
  route.operation_id = text.id;
  route.summary = text.summary;
  route.description = text.description;
  route.tag = kTrainingTag;
  route.policy = routes.policy();
  route.policy.body_limit = http::kCodedBody;
  route.run = [&files = routes.services().files, policy = routes.policy(),
               handle = std::move(handle)](const http::Context& context) {
    auto kept = std::make_shared<CapturedContext>(context);
    Result<http::Response> taken =
        groupUpload(context.request, files,
                    {.coding = {},
                     .errors = policy.errors,
                     .largest = kLargestGroups,
                     .json_depth = policy.json_depth},
                    [errors = policy.errors, handle, kept](GroupUpload::Body body) {
                      return jsonResponse(handle(kept->context, std::move(body)), errors);
                    });
    return taken ? *std::move(taken) : http::errorResponse(taken.error(), policy.errors);
  };
  return route;
}

}  // namespace spindle::training
