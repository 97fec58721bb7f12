#pragma once

#include <string>
#include <string_view>

#include "agents/api/agents_api.h"
#include "tracing/calls/call_query.h"

namespace spindle::agents {

// Parts of addAgentRoutes(), one source file each:
void addChatRoutes(const AgentRoutes& routes);
void addSpanRoutes(const AgentRoutes& routes);
void addSpanStatsRoutes(const AgentRoutes& routes);
void addAgentQueryRoutes(const AgentRoutes& routes);
void addTraceOutlineRoutes(const AgentRoutes& routes);

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
