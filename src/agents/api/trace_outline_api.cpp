#include <cstdint>
#include <string>

#include "agents/api/agent_routes.h"
#include "agents/chat/trace_outline.h"
#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "schema/scalar.h"

namespace spindle::agents {
namespace {

constexpr std::int64_t kMaxSteps = 50'000;

struct OutlineBody {
  std::string project_id;
  std::string trace_id;
  std::int64_t limit = kMaxSteps;
};

schema::Codec<OutlineBody> outlineBodyCodec() {
  using B = OutlineBody;
  return identity::projectRecord<B>("TraceOutlineRequest")
      .required("trace_id", &B::trace_id, schema::string())
      .optional("limit", &B::limit, schema::integer({.ge = 1, .le = kMaxSteps}),
                "Maximum number of steps; the oldest are returned.")
      .codec();
}

Result<TraceOutline> traceOutline(const AgentServices& services,
                                  const http::Context& context,
                                  const OutlineBody& body) {
  const tracing::ProjectScope project = TRY(readableProject(services, context, body.project_id));
  return readTraceOutline({services.spans, services.calls, services.feedback, services.prices},
                          project, body.trace_id, body.limit);
}

}  // namespace

void addTraceOutlineRoutes(const AgentRoutes& routes) {
  routes.post("/trace/outline",
              {"traceOutline", "Read the outline of a trace",
               "All calls and agent spans of the trace in columns, without payloads. An unknown "
               "trace has no steps."},
              {.body = outlineBodyCodec(), .reply = traceOutlineCodec()}, traceOutline);
}

}  // namespace spindle::agents
