#include "inference/routes/trace_setting_api.h"

#include <string>

#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "inference/gateway/trace_setting_repository.h"
#include "inference/routes/inference_tag.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::inference {
namespace {

using http::Context, schema::string;
using identity::Action, identity::ProjectAccess;

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

Result<Setting> read(const TraceSettingServices& services,
                     const Context& context,
                     const ProjectPath& path) {
  const ProjectAccess access =
      TRY(services.access.readProject(context.caller().user_id, path.team, path.project));
  if (!access.exists()) return Setting();
  const bool traced = TRY(services.settings.isTraced(access.project_id));
  return Setting{traced};
}

Result<Setting> write(const TraceSettingServices& services,
                      const Context& context,
                      const ProjectPath& path,
                      const Setting& body) {
  const std::string& caller = context.caller().user_id;
  // Creates the project if it is missing, so that the setting works before the first completion.
  TRY(services.access.writeProject(caller, path.team, path.project));
  const ProjectAccess access = TRY(
      services.access.requireInProject(caller, path.team, path.project, Action::kManageProject));
  TRY(services.settings.set(access.project_id, body.enabled));
  return body;
}

}  // namespace

void addTraceSettingRoutes(TraceSettingRoutes routes) {
  routes.setTag(kInferenceTag);
  routes.get(kPath,
             {"get_completion_tracing",
              "Show whether the completions of a project are recorded as calls."},
             {.params = projectPath(), .reply = settingCodec()}, read);
  routes.put(
      kPath,
      {"set_completion_tracing", "Set whether the completions of a project are recorded as calls.",
       "Applies to new completions."},
      {.params = projectPath(), .body = settingCodec(), .reply = settingCodec()}, write);
}

}  // namespace spindle::inference
