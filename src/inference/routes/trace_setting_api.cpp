#include "inference/routes/trace_setting_api.h"

#include <string>

#include "http/router/router.h"
#include "identity/access/access.h"
#include "inference/gateway/trace_setting_repository.h"
#include "inference/routes/inference_tag.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::inference {
namespace {

using http::Context;
using http::Endpoint;
using http::Method;
using http::Nothing;
using http::Reply;
using identity::Action;
using identity::ProjectAccess;
using schema::string;

constexpr std::string_view kPath = "/api/v1/projects/{team}/{project}/completion-tracing";

struct ProjectPath {
  std::string team;
  std::string project;
};
struct Setting {
  bool enabled = false;
};

http::Parameters<ProjectPath> projectPath() {
  http::Parameters<ProjectPath> parameters;
  parameters.path("team", &ProjectPath::team, string(), "Name of the team.")
      .path("project", &ProjectPath::project, string(), "Name of the project.");
  return parameters;
}

schema::Codec<Setting> settingCodec() {
  return schema::Record<Setting>("CompletionTracing", schema::Extra::kForbid)
      .required("enabled", &Setting::enabled, schema::boolean(),
                "Record every completion of the project as a call.")
      .codec();
}

Result<Reply<Setting>> read(const TraceSettingServices& services,
                            const Context& context,
                            const ProjectPath& path) {
  const ProjectAccess access =
      TRY(services.access.readProject(context.caller().user_id, path.team, path.project));
  if (!access.exists()) return Reply(Setting());
  const bool traced = TRY(services.settings.isTraced(access.project_id));
  return Reply(Setting{traced});
}

Result<Reply<Setting>> write(const TraceSettingServices& services,
                             const Context& context,
                             const ProjectPath& path,
                             const Setting& body) {
  const std::string& caller = context.caller().user_id;
  // Creates the project if it is missing, so that the setting works before the first completion.
  TRY(services.access.writeProject(caller, path.team, path.project));
  const ProjectAccess access = TRY(
      services.access.requireInProject(caller, path.team, path.project, Action::kManageProject));
  TRY(services.settings.set(access.project_id, body.enabled));
  return Reply(body);
}

}  // namespace

void addTraceSettingRoutes(http::Router& router,
                           const TraceSettingServices& services,
                           const http::RoutePolicy& policy) {
  router.add(Endpoint<ProjectPath, Nothing, Setting>{
      .method = Method::kGet,
      .path = kPath,
      .operation_id = "get_completion_tracing",
      .summary = "Show whether the completions of a project are recorded as calls.",
      .tag = kInferenceTag,
      .policy = policy,
      .params = projectPath(),
      .reply = settingCodec(),
      .handler = [services](const Context& context, const ProjectPath& path,
                            Nothing) { return read(services, context, path); },
  });
  router.add(Endpoint<ProjectPath, Setting, Setting>{
      .method = Method::kPut,
      .path = kPath,
      .operation_id = "set_completion_tracing",
      .summary = "Set whether the completions of a project are recorded as calls.",
      .description = "Applies to new completions.",
      .tag = kInferenceTag,
      .policy = policy,
      .params = projectPath(),
      .body = settingCodec(),
      .reply = settingCodec(),
      .handler = [services](const Context& context, const ProjectPath& path,
                            Setting body) { return write(services, context, path, body); },
  });
}

}  // namespace spindle::inference
