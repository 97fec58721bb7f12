#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/api/agent_routes.h"
#include "agents/api/span_request_schema.h"
#include "agents/query/span_view_json.h"
#include "agents/store/span_column.h"
#include "agents/store/span_store.h"
#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "query/codec.h"
#include "schema/described.h"
#include "schema/validated_json.h"

namespace spindle::agents {
namespace {

using http::Context;
using schema::Codec, schema::integer, schema::list, schema::nullable, schema::Record,
    schema::string;

constexpr std::size_t kMaxDistributions = 20;

struct SpansBody {
  std::string project_id;
  std::optional<query::Query> query;
  std::optional<std::vector<GroupBy>> group_by;
  std::vector<Measure> measures;
  std::vector<GroupFilter> group_filters;
  std::vector<Distribution> group_distributions;
  std::vector<ValueRef> custom_attr_columns;
  std::optional<SignalFilters> signal_filters;
  bool include_details = false;
  bool include_costs = false;
  std::optional<std::vector<AgentSortKey>> sort_by;
  std::int64_t limit = 100;
  std::int64_t offset = 0;
  std::optional<Timestamp> started_after;
  std::optional<Timestamp> started_before;

  bool groups() const { return group_by && !group_by->empty(); }
};

struct SpansReply {
  json::Text spans = {"[]"};
  json::Text groups = {"[]"};
  std::int64_t total_count = 0;
};

struct SchemaBody {
  std::string project_id;
  std::optional<query::Query> query;
  std::optional<Timestamp> started_after;
  std::optional<Timestamp> started_before;
  std::int64_t limit = 200;
  std::int64_t offset = 0;
};

struct AttributeView {
  std::string source;
  std::string key;
  std::string value_type;
  std::int64_t span_count = 0;
};

struct SchemaReply {
  std::vector<AttributeView> attributes;
  std::int64_t limit = 200;
  std::int64_t offset = 0;
  bool has_more = false;
};

/// Rejects members that apply to spans only or to groups only.
std::optional<schema::RuleError> checkSpans(const SpansBody& body) {
  if (body.groups()) {
    if (body.include_details)
      return schema::valueError("include_details cannot be used with group_by");
    if (!body.custom_attr_columns.empty())
      return schema::valueError("custom_attr_columns cannot be used with group_by");
    return std::nullopt;
  }
  if (!body.measures.empty()) return schema::valueError("measures need group_by");
  if (!body.group_filters.empty()) return schema::valueError("group_filters need group_by");
  if (!body.group_distributions.empty())
    return schema::valueError("group_distributions need group_by");
  if (body.signal_filters && !body.signal_filters->empty())
    return schema::valueError("signal_filters need group_by");
  return std::nullopt;
}

Codec<SpansBody> spansBodyCodec() {
  using B = SpansBody;
  const Codec<Distribution> distribution =
      Record<Distribution>("SpanDistribution")
          .required("alias", &Distribution::alias, aliasCodec())
          .required("value", &Distribution::value, valueRefCodec(), "A custom attribute.")
          .optional("bins", &Distribution::bins, integer({.ge = 1, .le = 50}),
                    "Number of bins, for numbers.")
          .optional("top_n", &Distribution::top_n, integer({.ge = 1, .le = 20}),
                    "Number of most frequent values, for texts.")
          .codec();
  Record<B> record = identity::projectRecord<B>("SpansQuery");
  record.optional("query", &B::query, nullable(query::queryCodec()), "Filter of the spans.")
      .optional("group_by", &B::group_by, nullable(groupByCodec()),
                "Return groups instead of spans.")
      .optional("measures", &B::measures, list(measureCodec()), "Aggregates of each group.")
      .optional("group_filters", &B::group_filters, groupFiltersCodec(), "Filters of the groups.")
      .optional("group_distributions", &B::group_distributions,
                list(distribution, {.max_items = kMaxDistributions}))
      .optional("custom_attr_columns", &B::custom_attr_columns, list(valueRefCodec()),
                "Custom attributes to return.")
      .optional("signal_filters", &B::signal_filters, nullable(signalFiltersCodec()),
                "Only conversations with this feedback.")
      .optional("include_details", &B::include_details, schema::boolean(),
                "Include messages, tool data and the raw span.")
      .optional("include_costs", &B::include_costs, schema::boolean())
      .optional("sort_by", &B::sort_by, agentSortCodec());
  addPage(record, {.ge = 0, .le = 10'000});
  addTimeRange(record).check(checkSpans);
  return schema::described(
      record.codec(),
      R"({"anyOf":[{"properties":{"group_by":{"type":"array","minItems":1},)"
      R"("include_details":{"const":false},"custom_attr_columns":{"maxItems":0}},)"
      R"("required":["group_by"]},{"properties":{"group_by":{"anyOf":[{"type":"null"},)"
      R"({"maxItems":0}]},"measures":{"maxItems":0},"group_filters":{"maxItems":0},)"
      R"("group_distributions":{"maxItems":0},"signal_filters":{"type":"null"}}}]})");
}

Codec<SpansReply> spansReplyCodec() {
  using R = SpansReply;
  const Codec<json::Text> rows = schema::validatedJson(list(schema::jsonObject()));
  return Record<R>("Spans")
      .required("spans", &R::spans, rows, "Empty with group_by.")
      .required("groups", &R::groups, rows, "Empty without group_by.")
      .required("total_count", &R::total_count, integer(), "Number of rows before paging.")
      .codec();
}

Codec<SchemaBody> schemaBodyCodec() {
  using B = SchemaBody;
  Record<B> record = identity::projectRecord<B>("CustomAttributesQuery");
  record.optional("query", &B::query, nullable(query::queryCodec()), "Filter of the spans.");
  addTimeRange(record);
  return addPage(record, {.ge = 1, .le = 2000}).codec();
}

Codec<SchemaReply> schemaReplyCodec() {
  using R = SchemaReply;
  const Codec<AttributeView> attribute =
      Record<AttributeView>("CustomAttribute")
          .required("source", &AttributeView::source, string(),
                    "The map that contains the attribute.")
          .required("key", &AttributeView::key, string())
          .required("value_type", &AttributeView::value_type,
                    schema::literal({"string", "int", "float", "bool"}))
          .required("span_count", &AttributeView::span_count, integer())
          .codec();
  return Record<R>("CustomAttributes")
      .required("attributes", &R::attributes, list(attribute), "Most frequent first.")
      .required("limit", &R::limit, integer())
      .required("offset", &R::offset, integer())
      .required("has_more", &R::has_more, schema::boolean())
      .codec();
}

SpanQuery spanQueryOf(SpansBody body) {
  SpanQuery span_query;
  span_query.filter = {std::move(body.query), body.started_after, body.started_before};
  span_query.page = {sortKeys(body.sort_by), body.limit, body.offset};
  span_query.group_by = std::move(body.group_by).value_or(std::vector<GroupBy>());
  span_query.measures = std::move(body.measures);
  span_query.group_filters = std::move(body.group_filters);
  span_query.distributions = std::move(body.group_distributions);
  span_query.custom_columns = std::move(body.custom_attr_columns);
  span_query.signals = std::move(body.signal_filters).value_or(SignalFilters());
  span_query.details = body.include_details;
  span_query.costs = body.include_costs;
  return span_query;
}

Result<SpansReply> querySpans(const AgentServices& services,
                              const Context& context,
                              SpansBody body) {
  const tracing::ProjectScope project = TRY(readableProject(services, context, body.project_id));
  const auto prices = TRY(services.prices(project.id));
  const SpanQuery span_query = spanQueryOf(std::move(body));
  SpansReply reply;
  if (!span_query.group_by.empty()) {
    const SpanGroups groups = TRY(services.spans.groupSpans(project.id, span_query, *prices));
    reply.groups.json = spanGroupsJson(groups, span_query);
    reply.total_count = groups.total;
    return reply;
  }
  const SpanList spans = TRY(services.spans.listSpans(project.id, span_query, *prices));
  reply.spans.json = spanListJson(spans, span_query, project.name, context.spelling());
  reply.total_count = spans.total;
  TRY(showExternalRefs(services, context, reply.spans.json));
  return reply;
}

Result<SchemaReply> customAttributes(const AgentServices& services,
                                     const Context& context,
                                     SchemaBody body) {
  const tracing::ProjectScope project = TRY(readableProject(services, context, body.project_id));
  std::vector<CustomAttribute> found = TRY(services.spans.readCustomAttributes(
      project.id, {std::move(body.query), body.started_after, body.started_before}, body.limit,
      body.offset));
  SchemaReply reply;
  reply.limit = body.limit;
  reply.offset = body.offset;
  reply.has_more = static_cast<std::int64_t>(found.size()) > body.limit;
  if (reply.has_more) found.pop_back();
  for (CustomAttribute& attribute : found) {
    const std::string source(columnOf(attribute.type).text());
    reply.attributes.push_back({source, std::move(attribute.key),
                                source.substr(source.rfind('_') + 1), attribute.span_count});
  }
  return reply;
}

}  // namespace

void addSpanRoutes(const AgentRoutes& routes) {
  routes.post("/agents/spans/query", {"querySpans", "List spans of agents, or groups of them"},
              {.body = spansBodyCodec(), .reply = spansReplyCodec()}, querySpans);
  routes.post("/agents/spans/custom-attrs/schema",
              {"customAttributes", "List the custom attributes that spans have"},
              {.body = schemaBodyCodec(), .reply = schemaReplyCodec()}, customAttributes);
}

}  // namespace spindle::agents
