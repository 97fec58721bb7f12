#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/time.h"
#include "http/route.h"
#include "objects/ref_conversion.h"
#include "pricing/price_choice.h"
#include "tracing/call_selection.h"

namespace spindle::http {
class Router;
}
namespace spindle::identity {
class Access;
}
namespace spindle::tracing {
class CallStore;
}
namespace spindle::feedback {
class FeedbackStore;
}

namespace spindle::agents {

class ColumnarSpanStore;

/// What the routes work with. Everything must outlive the router and is thread-safe.
struct AgentServices {
  identity::Access& access;
  const ColumnarSpanStore& spans;
  tracing::CallStore& calls;
  const feedback::FeedbackStore& feedback;
  /// What the models of a project cost.
  std::function<Result<std::shared_ptr<const pricing::ProjectPrices>>(std::string_view project_id)>
      prices;
  /// The projects that a user may name in references.
  std::function<std::unique_ptr<objects::RefProjects>(std::string_view user_id)> ref_projects;
  const Clock& clock;
};

/// Adds the routes that read what agents did: chats, spans, figures, search.
void addAgentRoutes(http::Router& router,
                    const AgentServices& services,
                    const http::RoutePolicy& policy);

// The parts, one file each:
void addChatRoutes(http::Router& router,
                   const AgentServices& services,
                   const http::RoutePolicy& policy);
void addSpanRoutes(http::Router& router,
                   const AgentServices& services,
                   const http::RoutePolicy& policy);
void addSpanStatsRoutes(http::Router& router,
                        const AgentServices& services,
                        const http::RoutePolicy& policy);
void addAgentQueryRoutes(http::Router& router,
                         const AgentServices& services,
                         const http::RoutePolicy& policy);

/// The project as the caller may read it. @return kNotFound, kInvalidArgument for a broken name.
Result<tracing::ProjectScope> readableProject(const AgentServices& services,
                                              const http::Context& context,
                                              std::string_view project);

/// Makes the references in a JSON answer those that the caller may see.
Result<void> showRefs(const AgentServices& services,
                      const http::Context& context,
                      std::string& json);

}  // namespace spindle::agents
