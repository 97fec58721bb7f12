#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/api/agent_routes.h"
#include "agents/api/span_request_schema.h"
#include "agents/query/search_json.h"
#include "agents/store/record_members.h"
#include "agents/store/span_store.h"
#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "schema/validated_json.h"

namespace spindle::agents {
namespace {

using http::Context;
using schema::Codec, schema::dateTime, schema::integer, schema::list, schema::nullable,
    schema::Record, schema::string;

struct AgentFilters {
  std::optional<std::string> agent_name;
};

/// The members that the queries of agents and of versions share.
struct RollupsBody {
  std::string project_id;
  std::optional<std::vector<AgentSortKey>> sort_by;
  std::int64_t limit = 100;
  std::int64_t offset = 0;
  bool include_costs = false;
};
struct AgentsBody : RollupsBody {
  std::optional<AgentFilters> filters;
};
struct VersionsBody : RollupsBody {
  std::string agent_name;
};

struct AgentView : AgentRollup {
  std::string project_id;
};

struct AgentsReply {
  std::vector<AgentView> agents;
  std::int64_t total_count = 0;
};

struct SearchBody : MessageSearchQuery {
  std::string project_id;
  bool truncate_content = true;
};

/// Adds the members of RollupsBody that follow the filters.
template <class Body>
Codec<Body> withPage(Record<Body>& record, std::string_view sort_doc) {
  record.optional("sort_by", &Body::sort_by, agentSortCodec(), sort_doc);
  return addPage(record, {.ge = 0, .le = 10'000})
      .optional("include_costs", &Body::include_costs, schema::boolean())
      .codec();
}

Codec<AgentsBody> agentsBodyCodec() {
  const Codec<AgentFilters> filters =
      Record<AgentFilters>("AgentFilters")
          .optional("agent_name", &AgentFilters::agent_name, nullable(string()), "Exactly.")
          .codec();
  Record<AgentsBody> record = identity::projectRecord<AgentsBody>("AgentsQuery");
  record.optional("filters", &AgentsBody::filters, nullable(filters));
  return withPage(record, "");
}

Codec<VersionsBody> versionsBodyCodec() {
  Record<VersionsBody> record = identity::projectRecord<VersionsBody>("AgentVersionsQuery");
  record.required("agent_name", &VersionsBody::agent_name, string());
  return withPage(record, "Accepted for compatibility; ignored. Newest first.");
}

Codec<AgentView> agentCodec(bool version) {
  using V = AgentView;
  Record<V> record(version ? "AgentVersion" : "Agent");
  record.required("project_id", &V::project_id, string(), "entity/project")
      .required("agent_name", &V::agent_name, string());
  if (version) record.required("agent_version", &V::agent_version, string());
  addMembers(record, integer(),
             {{"invocation_count", &V::invocation_count},
              {"span_count", &V::span_count},
              {"total_input_tokens", &V::total_input_tokens},
              {"total_output_tokens", &V::total_output_tokens},
              {"total_duration_ms", &V::total_duration_ms},
              {"error_count", &V::error_count}});
  addMembers(record, nullable(dateTime()),
             {{"first_seen", &V::first_seen}, {"last_seen", &V::last_seen}});
  return record
      .required("total_cost_usd", &V::total_cost_usd, nullable(schema::number()),
                "With include_costs; null when no price is known.")
      .codec();
}

Codec<AgentsReply> agentsReplyCodec(bool versions) {
  return Record<AgentsReply>(versions ? "AgentVersions" : "Agents")
      .required(versions ? "versions" : "agents", &AgentsReply::agents, list(agentCodec(versions)))
      .required("total_count", &AgentsReply::total_count, integer(),
                "Number of rows before paging.")
      .codec();
}

Codec<SearchBody> searchBodyCodec() {
  using B = SearchBody;
  const auto text = nullable(string());
  Record<B> record = identity::projectRecord<B>("AgentSearch");
  record
      .optional("query", &B::text, string(), "Text to find anywhere in a message; case-sensitive.")
      .optional("case_insensitive", &B::case_insensitive, schema::boolean(),
                "Find letters of either case.")
      .optional("trace_id", &B::trace_id, text)
      .optional("roles", &B::roles,
                nullable(list(schema::literal(
                    {"", "user", "assistant", "system", "tool", "tool_call", "tool_result"}))),
                "`tool` selects tool calls and tool results.")
      .optional("conversation_id", &B::conversation_id, text)
      .optional("agent_name", &B::agent_name, text)
      .optional("provider_name", &B::provider_name, text)
      .optional("request_model", &B::request_model, text)
      .optional("truncate_content", &B::truncate_content, schema::boolean(),
                "Truncate texts to 500 characters.");
  addTimeRange(record);
  return addPage(record, {.ge = 0, .le = 1000}, "Maximum number of messages.").codec();
}

Result<AgentsReply> rollups(const AgentServices& services,
                            const Context& context,
                            const RollupsBody& body,
                            AgentQuery query) {
  const tracing::ProjectScope project = TRY(readableProject(services, context, body.project_id));
  const auto prices = TRY(services.prices(project.id));
  query.page.limit = body.limit;
  query.page.offset = body.offset;
  query.costs = body.include_costs;
  AgentRollups found = TRY(services.spans.readAgents(project.id, query, *prices));
  AgentsReply reply;
  reply.total_count = found.total;
  for (AgentRollup& rollup : found.agents)
    reply.agents.push_back({std::move(rollup), project.name});
  return reply;
}

Result<json::Text> search(const AgentServices& services,
                          const Context& context,
                          const SearchBody& body) {
  const tracing::ProjectScope project = TRY(readableProject(services, context, body.project_id));
  std::vector<FoundMessage> found = TRY(services.spans.searchMessages(project.id, body));
  std::string text = searchJson(std::move(found), body.truncate_content);
  TRY(showExternalRefs(services, context, text));
  return json::Text{std::move(text)};
}

}  // namespace

void addAgentQueryRoutes(const AgentRoutes& routes) {
  routes.post("/agents/query", {"queryAgents", "List agents with their counts, tokens and costs"},
              {.body = agentsBodyCodec(), .reply = agentsReplyCodec(false)},
              [](const AgentServices& services, const Context& context, const AgentsBody& body) {
                AgentQuery query;
                if (body.filters) query.agent_name = body.filters->agent_name;
                query.page.sort_by = sortKeys(body.sort_by);
                return rollups(services, context, body, std::move(query));
              });
  routes.post(
      "/agents/agent-versions/query",
      {"queryAgentVersions", "List the versions of an agent with their counts, tokens and costs"},
      {.body = versionsBodyCodec(), .reply = agentsReplyCodec(true)},
      [](const AgentServices& services, const Context& context, const VersionsBody& body) {
        AgentQuery query;
        query.agent_name = body.agent_name;
        query.versions = true;
        return rollups(services, context, body, std::move(query));
      });
  routes.post("/agents/search", {"searchAgentMessages", "Search the messages of agents"},
              {.body = searchBodyCodec(), .reply = schema::validatedJson(searchResultsCodec())},
              search);
}

}  // namespace spindle::agents
