#include "agents/api/agents_api.h"

#include "agents/api/agent_routes.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/types/names.h"

namespace spindle::agents {

Result<tracing::ProjectScope> readableProject(const AgentServices& services,
                                              const http::Context& context,
                                              std::string_view project) {
  const identity::ProjectName name = TRY(identity::splitProjectName(project));
  const identity::ProjectAccess access =
      TRY(services.access.readProject(context.caller().user_id, name.entity, name.project));
  return tracing::ProjectScope{access.project_id, std::string(project)};
}

Result<void> showExternalRefs(const AgentServices& services,
                              const http::Context& context,
                              std::string& json) {
  const std::unique_ptr<objects::RefProjects> projects =
      services.ref_projects(context.caller().user_id);
  return objects::externalizeRefs(json, *projects, context.spelling());
}

void addAgentRoutes(AgentRoutes routes) {
  routes.setTag("agents");
  addChatRoutes(routes);
  addSpanRoutes(routes);
  addSpanStatsRoutes(routes);
  addAgentQueryRoutes(routes);
  addTraceOutlineRoutes(routes);
}

}  // namespace spindle::agents
