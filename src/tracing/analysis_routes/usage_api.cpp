#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "query/codec.h"
#include "schema/compound.h"
#include "schema/described.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/analysis_routes/analysis_api.h"
#include "tracing/routes/call_query_api.h"
#include "tracing/routes/call_usage.h"
#include "tracing/stats/usage_rollup.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {
namespace {

using http::Context;
using schema::Codec, schema::integer, schema::nullable, schema::Record, schema::string;

/// Limit on the calls that are added up in memory.
constexpr std::int64_t kMaxCalls = 200'000;

struct TraceUsageBody : CallSelectionBody {
  bool include_costs = false;
  std::int64_t limit = 10'000;
};

struct CallsUsageBody {
  std::string project_id;
  std::vector<std::string> call_ids;
  bool include_costs = false;
  std::int64_t limit = 10'000;
};

struct UsageView : pricing::Usage {
  std::optional<double> prompt_cost;
  std::optional<double> completion_cost;
  std::optional<double> cache_read_cost;
  std::optional<double> cache_creation_cost;
};

struct UsageReply {
  schema::MapOf<schema::MapOf<UsageView>> call_usage;
  std::vector<std::string> unfinished_call_ids;
};

Codec<std::int64_t> limitCodec() {
  return schema::describedAs(integer(), integer({.ge = 0, .le = kMaxCalls}));
}

Codec<TraceUsageBody> traceUsageCodec() {
  return callSelectionRecord<TraceUsageBody>("TraceUsageRequest")
      .optional("include_costs", &TraceUsageBody::include_costs, schema::boolean())
      .optional("limit", &TraceUsageBody::limit, limitCodec(), "Maximum number of calls to read.")
      .codec();
}

Codec<CallsUsageBody> callsUsageCodec() {
  return identity::projectRecord<CallsUsageBody>("CallsUsageRequest")
      .required("call_ids", &CallsUsageBody::call_ids, schema::list(string()))
      .optional("include_costs", &CallsUsageBody::include_costs, schema::boolean())
      .optional("limit", &CallsUsageBody::limit, limitCodec(),
                "Maximum number of calls to read from their traces.")
      .codec();
}

Codec<UsageReply> usageReplyCodec() {
  Record<UsageView> usage("AggregatedUsage");
  for (const auto& [name, count] :
       {std::pair("requests", &UsageView::requests),
        std::pair("prompt_tokens", &UsageView::prompt_tokens),
        std::pair("completion_tokens", &UsageView::completion_tokens),
        std::pair("total_tokens", &UsageView::total_tokens),
        std::pair("cache_read_input_tokens", &UsageView::cache_read_input_tokens),
        std::pair("cache_creation_input_tokens", &UsageView::cache_creation_input_tokens)}) {
    usage.required(name, count, integer(), "");
  }
  for (const auto& [name, cost] :
       {std::pair("prompt_tokens_total_cost", &UsageView::prompt_cost),
        std::pair("completion_tokens_total_cost", &UsageView::completion_cost),
        std::pair("cache_read_input_tokens_total_cost", &UsageView::cache_read_cost),
        std::pair("cache_creation_input_tokens_total_cost", &UsageView::cache_creation_cost)}) {
    usage.required(name, cost, nullable(schema::number()), "");
  }
  return Record<UsageReply>("UsageReply")
      .required("call_usage", &UsageReply::call_usage, schema::map(schema::map(usage.codec())),
                "Usage by call and model, including the descendants of the call.")
      .required("unfinished_call_ids", &UsageReply::unfinished_call_ids, schema::list(string()),
                "Running calls, whose usage is not yet known.")
      .codec();
}

UsageView usageViewOf(const CostedUsage& sum) {
  UsageView view;
  static_cast<pricing::Usage&>(view) = sum.usage;
  if (!sum.cost) return view;
  view.prompt_cost = sum.cost->prompt;
  view.completion_cost = sum.cost->completion;
  view.cache_read_cost = sum.cost->cache_read;
  view.cache_creation_cost = sum.cost->cache_creation;
  return view;
}

UsageNode nodeOf(const Call& call, const pricing::ProjectPrices* prices) {
  UsageNode node;
  node.id = call.id;
  node.parent_id = call.parent_id;
  node.ended = call.ended_at.has_value();
  for (const auto& [model, reported] : usageOf(call)) {
    CostedUsage& usage = node.own[model];
    usage.usage += withTotal(reported);
    if (prices == nullptr) continue;
    const pricing::Price* price = prices->choose(model, call.started_at.value_or(Timestamp()));
    usage.cost = price == nullptr ? pricing::Cost() : pricing::costOf(reported, price->tokens);
  }
  return node;
}

/// Reads calls in the order of their start and calls `each` for every one.
template <class Each>
Result<void> forCalls(CallView& view,
                      const CallQuery& selection,
                      std::int64_t limit,
                      const std::vector<CallColumn>& columns,
                      const Each& each) {
  CallPage page;
  page.limit = limit;
  std::unique_ptr<CallReader> reader = TRY(view.read(selection, page, columns));
  while (true) {
    std::vector<Call> calls = TRY(reader->next());
    if (calls.empty()) return {};
    for (const Call& call : calls) each(call);
  }
}

Result<std::vector<UsageNode>> nodesOf(CallView& view,
                                       const CallQuery& selection,
                                       std::int64_t limit,
                                       const pricing::ProjectPrices* prices) {
  std::vector<UsageNode> nodes;
  TRY(forCalls(view, selection, limit,
               {CallColumn::kId, CallColumn::kParentId, CallColumn::kStartedAt,
                CallColumn::kEndedAt, CallColumn::kSummary},
               [&](const Call& call) { nodes.push_back(nodeOf(call, prices)); }));
  return nodes;
}

/// Returns the response with the calls `shown`, each once.
UsageReply replyOf(std::vector<UsageNode> nodes, const std::vector<std::string>& shown) {
  UsageReply reply;
  for (const UsageNode& node : nodes) {
    if (!node.ended) reply.unfinished_call_ids.push_back(node.id);
  }
  std::sort(reply.unfinished_call_ids.begin(), reply.unfinished_call_ids.end());
  const auto sums = rollUp(std::move(nodes));
  std::set<std::string> seen;
  for (const std::string& id : shown) {
    if (!seen.insert(id).second) continue;
    schema::MapOf<UsageView> models;
    if (const auto sum = sums.find(id); sum != sums.end()) {
      for (const auto& [model, usage] : sum->second) models.emplace_back(model, usageViewOf(usage));
    }
    reply.call_usage.emplace_back(id, std::move(models));
  }
  return reply;
}

Result<void> checkLimit(std::int64_t limit) {
  if (limit < 0) return Error::invalidArgument("Limit must be a positive integer");
  if (limit > kMaxCalls)
    return Error::invalidArgument("Limit cannot exceed " + std::to_string(kMaxCalls));
  return {};
}

/// Returns null if costs are not requested.
Result<std::shared_ptr<const pricing::ProjectPrices>> pricesFor(const TracingServices& services,
                                                                const ProjectScope& project,
                                                                bool include_costs) {
  if (!include_costs) return std::shared_ptr<const pricing::ProjectPrices>();
  return services.prices(project.id);
}

Result<UsageReply> traceUsage(const TracingServices& services,
                              const Context& context,
                              TraceUsageBody body) {
  const ProjectScope project = TRY(readableProject(services, context, body.project_id));
  TRY(checkLimit(body.limit));
  const std::unique_ptr<objects::RefProjects> projects =
      services.ref_projects(context.caller().user_id);
  const CallQuery selection = TRY(
      callQueryOf(std::move(body.filter), std::move(body.query), std::nullopt, project, *projects));
  const auto prices = pricesFor(services, project, body.include_costs);
  if (!prices) return prices.error();
  std::unique_ptr<CallView> view = TRY(services.calls.view(project));
  std::vector<UsageNode> nodes = TRY(nodesOf(*view, selection, body.limit, prices->get()));
  std::vector<std::string> ids;
  ids.reserve(nodes.size());
  for (const UsageNode& node : nodes) ids.push_back(node.id);
  return replyOf(std::move(nodes), ids);
}

/// Returns the usage of all calls in the traces that contain these calls.
Result<std::vector<UsageNode>> tracesOf(CallView& view,
                                        const std::vector<std::string>& call_ids,
                                        std::int64_t limit,
                                        const pricing::ProjectPrices* prices) {
  CallQuery named;
  named.filter.call_ids = call_ids;
  std::set<std::string> traces;
  TRY(forCalls(view, named, static_cast<std::int64_t>(call_ids.size()), {CallColumn::kTraceId},
               [&traces](const Call& call) { traces.insert(call.trace_id); }));
  if (traces.empty()) return std::vector<UsageNode>();
  CallQuery whole;
  whole.filter.trace_ids.emplace(traces.begin(), traces.end());
  return nodesOf(view, whole, limit, prices);
}

Result<UsageReply> callsUsage(const TracingServices& services,
                              const Context& context,
                              const CallsUsageBody& body) {
  const ProjectScope project = TRY(readableProject(services, context, body.project_id));
  TRY(checkLimit(body.limit));
  TRY(checkFilterList("call_ids", body.call_ids));
  if (body.call_ids.empty()) return UsageReply();
  const auto prices = pricesFor(services, project, body.include_costs);
  if (!prices) return prices.error();
  std::unique_ptr<CallView> view = TRY(services.calls.view(project));
  std::vector<UsageNode> nodes = TRY(tracesOf(*view, body.call_ids, body.limit, prices->get()));
  return replyOf(std::move(nodes), body.call_ids);
}

}  // namespace

void addUsageRoutes(const TracingRoutes& routes) {
  routes.post("/trace/usage", {"traceUsage", "Aggregate the usage of calls along their traces."},
              {.body = traceUsageCodec(), .reply = usageReplyCodec()}, traceUsage);
  routes.post("/calls/usage", {"callsUsage", "Aggregate the usage of calls and their descendants."},
              {.body = callsUsageCodec(), .reply = usageReplyCodec()}, callsUsage);
}

}  // namespace spindle::tracing
