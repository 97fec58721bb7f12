#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/api/agents_api.h"
#include "agents/api/span_request_schema.h"
#include "agents/query/search_json.h"
#include "agents/store/span_store.h"
#include "base/core/paging.h"
#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
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

struct FoundDocument {
  std::string conversation_id;
  std::string conversation_name;
  std::string agent_name;
  std::vector<FoundMessage> matched_messages;
  Timestamp last_activity;
};
struct SearchDocument {
  std::vector<FoundDocument> results;
  std::int64_t total_conversations = 0;
};

Codec<AgentsBody> agentsBodyCodec() {
  using B = AgentsBody;
  const Codec<AgentFilters> filters =
      Record<AgentFilters>("AgentFilters")
          .optional("agent_name", &AgentFilters::agent_name, nullable(string()), "Exactly.")
          .codec();
  return Record<B>("AgentsQuery")
      .required("project_id", &B::project_id, identity::projectIdCodec(), "entity/project")
      .optional("filters", &B::filters, nullable(filters), "")
      .optional("sort_by", &B::sort_by, agentSortCodec(), "")
      .optional("limit", &B::limit, integer({.ge = 0, .le = 10'000}), "")
      .optional("offset", &B::offset, integer({.ge = 0, .le = kMaxRows}), "")
      .optional("include_costs", &B::include_costs, schema::boolean(), "")
      .codec();
}

Codec<VersionsBody> versionsBodyCodec() {
  using B = VersionsBody;
  return Record<B>("AgentVersionsQuery")
      .required("project_id", &B::project_id, identity::projectIdCodec(), "entity/project")
      .required("agent_name", &B::agent_name, string(), "")
      .optional("sort_by", &B::sort_by, agentSortCodec(),
                "Accepted for compatibility; ignored. Newest first.")
      .optional("limit", &B::limit, integer({.ge = 0, .le = 10'000}), "")
      .optional("offset", &B::offset, integer({.ge = 0, .le = kMaxRows}), "")
      .optional("include_costs", &B::include_costs, schema::boolean(), "")
      .codec();
}

Codec<AgentView> agentCodec(bool version) {
  using V = AgentView;
  Record<V> record(version ? "AgentVersion" : "Agent");
  record.required("project_id", &V::project_id, string(), "entity/project")
      .required("agent_name", &V::agent_name, string(), "");
  if (version) record.required("agent_version", &V::agent_version, string(), "");
  return record.required("invocation_count", &V::invocation_count, integer(), "")
      .required("span_count", &V::span_count, integer(), "")
      .required("total_input_tokens", &V::total_input_tokens, integer(), "")
      .required("total_output_tokens", &V::total_output_tokens, integer(), "")
      .required("total_duration_ms", &V::total_duration_ms, integer(), "")
      .required("error_count", &V::error_count, integer(), "")
      .required("first_seen", &V::first_seen, nullable(dateTime()), "")
      .required("last_seen", &V::last_seen, nullable(dateTime()), "")
      .required("total_cost_usd", &V::total_cost_usd, nullable(schema::number()),
                "With include_costs; null when no price is known.")
      .codec();
}

Codec<AgentsReply> agentsReplyCodec(bool versions) {
  return Record<AgentsReply>(versions ? "AgentVersions" : "Agents")
      .required(versions ? "versions" : "agents", &AgentsReply::agents, list(agentCodec(versions)),
                "")
      .required("total_count", &AgentsReply::total_count, integer(),
                "Number of rows before paging.")
      .codec();
}

Codec<SearchBody> searchBodyCodec() {
  using B = SearchBody;
  const auto text = nullable(string());
  return Record<B>("AgentSearch")
      .required("project_id", &B::project_id, identity::projectIdCodec(), "entity/project")
      .optional("query", &B::text, string(), "Text to find anywhere in a message; case-sensitive.")
      .optional("trace_id", &B::trace_id, text, "")
      .optional("roles", &B::roles,
                nullable(list(schema::literal(
                    {"", "user", "assistant", "system", "tool", "tool_call", "tool_result"}))),
                "`tool` selects tool calls and tool results.")
      .optional("conversation_id", &B::conversation_id, text, "")
      .optional("agent_name", &B::agent_name, text, "")
      .optional("provider_name", &B::provider_name, text, "")
      .optional("request_model", &B::request_model, text, "")
      .optional("truncate_content", &B::truncate_content, schema::boolean(),
                "Truncate texts to 500 characters.")
      .optional("started_after", &B::started_after, nullable(dateTime()), "Inclusive.")
      .optional("started_before", &B::started_before, nullable(dateTime()), "Exclusive.")
      .optional("limit", &B::limit, integer({.ge = 0, .le = 1000}), "Maximum number of messages.")
      .optional("offset", &B::offset, integer({.ge = 0, .le = kMaxRows}), "")
      .codec();
}

Codec<json::Text> searchReplyCodec() {
  using M = FoundMessage;
  using F = FoundDocument;
  const Codec<M> match = Record<M>("AgentSearchMatch")
                             .required("span_id", &M::span_id, string(), "")
                             .required("trace_id", &M::trace_id, string(), "")
                             .required("role", &M::role, string(), "")
                             .required("content_preview", &M::content, string(), "")
                             .required("content_digest", &M::digest, string(), "MD5 of the text.")
                             .required("started_at", &M::started_at, dateTime(), "")
                             .codec();
  const Codec<F> found =
      Record<F>("AgentSearchConversation")
          .required("conversation_id", &F::conversation_id, string(),
                    "`__NO_CONVERSATION__` for spans without one.")
          .required("conversation_name", &F::conversation_name, string(), "")
          .required("agent_name", &F::agent_name, string(), "")
          .required("matched_messages", &F::matched_messages, list(match), "Newest first.")
          .required("last_activity", &F::last_activity, dateTime(), "")
          .codec();
  return schema::validatedJson(Record<SearchDocument>("AgentSearchResults")
                                   .required("results", &SearchDocument::results, list(found), "")
                                   .required("total_conversations",
                                             &SearchDocument::total_conversations, integer(),
                                             "Number of conversations on this page.")
                                   .codec());
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
  const std::vector<FoundMessage> found = TRY(services.spans.searchMessages(project.id, body));
  std::string text = searchJson(found, body.truncate_content);
  TRY(showExternalRefs(services, context, text));
  return json::Text{std::move(text)};
}

}  // namespace

void addAgentQueryRoutes(AgentRoutes routes) {
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
              {.body = searchBodyCodec(), .reply = searchReplyCodec()}, search);
}

}  // namespace spindle::agents
