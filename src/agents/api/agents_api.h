#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "agents/chat/chat_reader.h"
#include "base/core/time.h"
#include "http/router/forward.h"
#include "http/router/route.h"
#include "objects/values/ref_conversion.h"
#include "pricing/project_prices.h"

namespace spindle::identity {
class Access;
}

namespace spindle::agents {

/// Dependencies of the routes. All must outlive the router and are thread-safe.
struct AgentServices {
  identity::Access& access;
  const SpanStore& spans;
  tracing::CallStore& calls;
  const feedback::FeedbackStore& feedback;
  /// Returns the model prices of a project.
  std::function<Result<std::shared_ptr<const pricing::ProjectPrices>>(std::string_view project_id)>
      prices;
  /// Returns the projects that a user may name in references.
  std::function<std::unique_ptr<objects::RefProjects>(std::string_view user_id)> ref_projects;
  const Clock& clock;
};

using AgentRoutes = http::RouteGroup<AgentServices>;

/// Adds the routes that read agent data: chats, spans, statistics, search.
void addAgentRoutes(AgentRoutes routes);

}  // namespace spindle::agents
