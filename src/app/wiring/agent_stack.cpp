#include "app/wiring/agent_stack.h"

namespace spindle::app {

AgentStack::AgentStack(IdentityStack& identity,
                       TracingStack& tracing,
                       events::Outbox& outbox,
                       const Clock& clock)
    : identity_(identity),
      tracing_(tracing),
      clock_(clock),
      turns_(*identity.database, outbox),
      turn_publisher_(tracing.spans(), tracing.endedTurns(), turns_, identity.projects, clock) {}

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
