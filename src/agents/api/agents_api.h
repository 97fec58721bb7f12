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
#include "tracing/calls/call_query.h"

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

// The groups of routes, one source file each:
void addChatRoutes(AgentRoutes routes);
void addSpanRoutes(AgentRoutes routes);
void addSpanStatsRoutes(AgentRoutes routes);
void addAgentQueryRoutes(AgentRoutes routes);

/// Returns the project if the caller may read it. @return kNotFound, or kInvalidArgument for a
/// malformed name.
Result<tracing::ProjectScope> readableProject(const AgentServices& services,
                                              const http::Context& context,
                                              std::string_view project);

/// Converts the internal references in a JSON response to external ones that the caller may see.
Result<void> showExternalRefs(const AgentServices& services,
                              const http::Context& context,
                              std::string& json);

}  // namespace spindle::agents
