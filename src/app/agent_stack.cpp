#include "app/agent_stack.h"

namespace spindle::app {

agents::AgentServices AgentStack::services() {
  return {
      .access = identity_.access,
      .spans = tracing_.spans(),
      .calls = tracing_.calls(),
      .feedback = tracing_.feedback(),
      .prices =
          [this](std::string_view project_id) { return tracing_.prices().forProject(project_id); },
      .ref_projects = [this](std::string_view user_id) { return tracing_.refProjects(user_id); },
      .clock = clock_,
  };
}

}  // namespace spindle::app
