#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/router/route_group.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/analysis_routes/analysis_api.h"
#include "tracing/analysis_routes/call_dimension_api.h"
#include "tracing/routes/call_query_api.h"
#include "tracing/stats/call_facets.h"
#include "tracing/store/call_store.h"
#include "wire/spelling.h"

namespace spindle::tracing {
namespace {

using http::Context;
using schema::Codec, schema::integer, schema::list, schema::Record, schema::string;

constexpr std::size_t kMaxFacets = 20;
constexpr std::int64_t kMaxFacetValues = 200;
constexpr std::int64_t kMaxAttributePaths = 1000;

struct FacetsBody : CallSelectionBody {
  std::vector<FacetRequest> facets;
};

struct FacetView : Facet {
  std::string field;
};
struct FacetsReply {
  std::vector<FacetView> facets;
  bool sampled = false;
  std::int64_t rows = 0;
};

struct AttributesBody : CallSelectionBody {
  std::string prefix;
  std::int64_t limit = 200;
};

Codec<FacetsBody> facetsCodec() {
  const Codec<FacetRequest> facet =
      Record<FacetRequest>("CallFacetRequest")
          .required("field", &FacetRequest::field, dimensionCodec(),
                    "op_name, status, model, user, trace_roots_only, another column, or a path "
                    "below attributes, inputs, output or summary.")
          .optional("limit", &FacetRequest::limit, integer({.ge = 1, .le = kMaxFacetValues}),
                    "Number of values.")
          .optional("prefix", &FacetRequest::prefix, string({.max_length = 512}),
                    "Only values that begin with this text.")
          .codec();
  return callSelectionRecord<FacetsBody>("CallsFacetsRequest")
      .required("facets", &FacetsBody::facets,
                list(facet, {.min_items = 1, .max_items = kMaxFacets}))
      .codec();
}

Codec<FacetsReply> facetsReplyCodec() {
  const Codec<FacetValue> value = Record<FacetValue>("CallFacetValue")
                                      .required("value", &FacetValue::value, string())
                                      .required("count", &FacetValue::count, integer())
                                      .codec();
  const Codec<FacetView> facet =
      Record<FacetView>("CallFacet")
          .required("field", &FacetView::field, string(), "As in the request.")
          .required("values", &FacetView::values, list(value), "Most calls first.")
          .required("other", &FacetView::other, integer(),
                    "Calls with a value that is not listed and begins with the prefix.")
          .required("missing", &FacetView::missing, integer(), "Calls without a value.")
          .required("sampled", &FacetView::sampled, schema::boolean(),
                    "True: only the newest calls of the selection were counted.")
          .required("rows", &FacetView::rows, integer(), "Number of calls that were read.")
          .codec();
  return Record<FacetsReply>("CallsFacetsReply")
      .required("facets", &FacetsReply::facets, list(facet), "In the order of the request.")
      .required("sampled", &FacetsReply::sampled, schema::boolean(), "True if any facet is.")
      .required("rows", &FacetsReply::rows, integer(), "The smallest number of any facet.")
      .codec();
}

Codec<AttributesBody> attributesCodec() {
  return callSelectionRecord<AttributesBody>("CallsAttributesRequest")
      .optional("prefix", &AttributesBody::prefix, string({.max_length = 512}),
                "Only paths that begin with this text, such as `attributes.tenant`.")
      .optional("limit", &AttributesBody::limit, integer({.ge = 1, .le = kMaxAttributePaths}))
      .codec();
}

Codec<CallAttributes> attributesReplyCodec() {
  const Codec<AttributePath> path =
      Record<AttributePath>("CallAttributePath")
          .required("path", &AttributePath::path, string(),
                    "A field of the query language. `\\.` is a dot in a name.")
          .required("type", &AttributePath::type,
                    schema::literal({"string", "number", "boolean", "null", "array"}),
                    "The most frequent type.")
          .required("count", &AttributePath::count, integer(), "Calls with a value at the path.")
          .codec();
  return Record<CallAttributes>("CallsAttributesReply")
      .required("attributes", &CallAttributes::paths, list(path), "Most calls first.")
      .required("truncated", &CallAttributes::truncated, schema::boolean(),
                "True: there are more paths.")
      .required("sampled", &CallAttributes::sampled, schema::boolean(),
                "True: only the newest calls of the selection were read.")
      .required("rows", &CallAttributes::rows, integer(), "Number of calls that were read.")
      .codec();
}

Result<FacetsReply> callFacets(const TracingServices& services,
                               const Context& context,
                               FacetsBody body) {
  const ProjectScope project = TRY(readableProject(services, context, body.project_id));
  const std::unique_ptr<objects::RefProjects> projects =
      services.ref_projects(context.caller().user_id);
  FacetQuery query;
  CallQuery selection = TRY(
      callQueryOf(std::move(body.filter), std::move(body.query), std::nullopt, project, *projects));
  query.selection = std::move(selection);
  query.facets = body.facets;
  for (FacetRequest& facet : query.facets) facet.field = wire::neutralField(facet.field);
  Result<std::vector<Facet>> found = std::vector<Facet>();
  {
    std::unique_ptr<CallView> view = TRY(services.calls.view(project));
    found = view->facets(query);
  }
  if (!found) return std::move(found).error();
  const DimensionReader reader{*projects, context.spelling()};
  FacetsReply reply;
  reply.rows = found->front().rows;
  for (std::size_t i = 0; i < found->size(); ++i) {
    FacetView view{std::move((*found)[i]), std::move(body.facets[i].field)};
    for (FacetValue& value : view.values) {
      std::string external = TRY(reader.external(query.facets[i].field, value.value));
      value.value = std::move(external);
    }
    reply.sampled = reply.sampled || view.sampled;
    reply.rows = std::min(reply.rows, view.rows);
    reply.facets.push_back(std::move(view));
  }
  return reply;
}

Result<CallAttributes> callAttributes(const TracingServices& services,
                                      const Context& context,
                                      AttributesBody body) {
  const ProjectScope project = TRY(readableProject(services, context, body.project_id));
  const std::unique_ptr<objects::RefProjects> projects =
      services.ref_projects(context.caller().user_id);
  CallQuery selection = TRY(
      callQueryOf(std::move(body.filter), std::move(body.query), std::nullopt, project, *projects));
  const AttributeQuery query{std::move(selection), std::move(body.prefix), body.limit};
  std::unique_ptr<CallView> view = TRY(services.calls.view(project));
  return view->attributes(query);
}

}  // namespace

void addCallFacetRoutes(const TracingRoutes& routes) {
  routes.post(
      "/calls/facets",
      {"callFacets", "Count the most frequent values of calls.",
       "Reads all selected calls up to 2,000,000, or 50,000 to 400,000 where JSON must be "
       "parsed, and beyond that the newest ones. Selections of few calls among many also count "
       "only the newest ones. `sampled` says so."},
      {.body = facetsCodec(), .reply = facetsReplyCodec()}, callFacets);
  routes.post("/calls/attributes",
              {"callAttributes", "List the paths of attributes of calls.",
               "Reads the newest 20,000 selected calls."},
              {.body = attributesCodec(), .reply = attributesReplyCodec()}, callAttributes);
}

}  // namespace spindle::tracing
