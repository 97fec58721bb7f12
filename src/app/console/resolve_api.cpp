#include "app/console/resolve_api.h"

#include <string>

#include "app/console/reference_resolver.h"
#include "http/router/route_group.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::app {
namespace {

using http::Context;
using schema::literal, schema::nullable, schema::string;

constexpr std::size_t kMaxRef = 4096;
constexpr std::size_t kMaxProject = 300;

struct ResolveQuery {
  std::string ref;
  std::string project;
};

schema::Codec<ResolvedReference> resolvedCodec() {
  using R = ResolvedReference;
  return schema::Record<R>("ResolvedReference")
      .required("kind", &R::kind,
                literal({"call", "trace", "span", "evaluation", "run", "job", "delivery", "object",
                         "op", "artifact"}))
      .required("team", &R::team, string(), "Empty for an automation of the organization.")
      .required("project", &R::project, nullable(string()), "Null outside of projects.")
      .required("id", &R::id, string())
      .required("path", &R::path, string(), "Of its page, relative to `/console/`.")
      .codec();
}

}  // namespace

void addResolveRoutes(http::Router& router,
                      const ReferenceResolver& resolver,
                      const http::RoutePolicy& policy) {
  const http::RouteGroup routes(router, policy, "live");
  routes.get(
      "/api/v1/resolve",
      {"resolveReference", "Find the target of an id or a reference",
       "Searches what the caller may read. Ids of calls, traces, spans and runs are searched "
       "in the newest 200 projects, unless `project` names one. 404 lists the kinds that "
       "were looked for in `kinds`."},
      {.params = http::Parameters<ResolveQuery>()
                     .requiredQuery("ref", &ResolveQuery::ref,
                                    string({.min_length = 1, .max_length = kMaxRef}),
                                    "Id of a call, trace, span, run, training job or delivery, or "
                                    "a reference `svc:///…` or `svc-artifact:///…`.")
                     .query("project", &ResolveQuery::project, string({.max_length = kMaxProject}),
                            "Search only `team/project`."),
       .reply = resolvedCodec(),
       .facts = {.statuses = {404}}},
      [&resolver](const Context& context, const ResolveQuery& query) {
        return resolver.resolve(context, query.ref, query.project);
      });
}

}  // namespace spindle::app
