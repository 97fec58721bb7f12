#include "pricing/pricing_api.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/api/project_id_codec.h"
#include "pricing/price_expression.h"
#include "pricing/price_query.h"
#include "pricing/price_repository.h"
#include "query/paged_query.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::pricing {
namespace {

using http::Context, http::Reply;
using identity::ProjectAccess;
using schema::Codec, schema::Extra, schema::nullable, schema::number, schema::Record,
    schema::string;

struct CreateBody {
  std::string project_id;
  schema::MapOf<NewPrice> costs;
  std::optional<std::string> user_id;  ///< ignored; the caller's id is stored
};

struct CreateReply {
  std::vector<std::tuple<std::string, std::string>> ids;
};

struct QueryBody : query::PagedQuery {
  std::string project_id;
};

/// A price, reduced to the requested fields.
struct PriceView {
  std::optional<std::string> id;
  std::optional<std::string> llm_id;
  std::optional<double> prompt;
  std::optional<double> completion;
  std::optional<double> cache_read;
  std::optional<double> cache_creation;
  std::optional<std::string> prompt_unit;
  std::optional<std::string> completion_unit;
  std::optional<Timestamp> effective_date;
  std::optional<std::string> provider_id;
};

struct QueryReply {
  std::vector<PriceView> results;
};

struct PurgeBody {
  std::string project_id;
  query::Query query;
};

struct EmptyReply {};

Codec<NewPrice> costEntryCodec() {
  return Record<NewPrice>("CostEntry", Extra::kForbid)
      .required("prompt_token_cost", &NewPrice::prompt, number(), "Price of one prompt token.")
      .required("completion_token_cost", &NewPrice::completion, number(),
                "Price of one completion token.")
      .optional("cache_read_input_token_cost", &NewPrice::cache_read, number(),
                "Price of one prompt token that came from the provider's cache.")
      .optional("cache_creation_input_token_cost", &NewPrice::cache_creation, number(),
                "Price of one prompt token that went into the provider's cache.")
      .optional("prompt_token_cost_unit", &NewPrice::prompt_unit, nullable(string()),
                "Unit of the prompt token cost.")
      .optional("completion_token_cost_unit", &NewPrice::completion_unit, nullable(string()),
                "Unit of the completion token cost.")
      .optional("effective_date", &NewPrice::effective_date, nullable(schema::dateTime()),
                "Date from which the price is effective. Default: now.")
      .optional("provider_id", &NewPrice::provider_id, nullable(string()),
                "Provider of the model. Default: `default`.")
      .codec();
}

/// Starts the record of a request body with its required member `project_id`.
template <class Body>
Record<Body> costRecord(const std::string& name, Extra extra = Extra::kIgnore) {
  Record<Body> record(name, extra);
  record.required("project_id", &Body::project_id, identity::projectIdCodec(),
                  "`<entity>/<project>`.");
  return record;
}

Codec<CreateBody> createCodec() {
  return costRecord<CreateBody>("CostCreateRequest", Extra::kForbid)
      .required("costs", &CreateBody::costs, schema::map(costEntryCodec()),
                "Prices by model, spelled as in the usage of calls.")
      .optional("svc_user_id", &CreateBody::user_id, nullable(string()),
                "Set by the server; clients must not set it.")
      .codec();
}

Codec<CreateReply> createReplyCodec() {
  return Record<CreateReply>("CostCreateReply")
      .required("ids", &CreateReply::ids, schema::list(schema::tuple(string(), string())),
                "Pairs of price id and model, in the order of the request.")
      .codec();
}

Codec<QueryBody> queryBodyCodec() {
  auto record = costRecord<QueryBody>("CostQueryRequest");
  return query::addPagedQuery(
             record, {.fields = "Fields to return; the others are null. Default: all fields.",
                      .query = "Filter on the prices.",
                      .sort_by = "Sort keys. Default: insertion order.",
                      .limit = "Maximum number of prices to return.",
                      .offset = "Number of prices to skip."})
      .codec();
}

Codec<QueryReply> queryReplyCodec() {
  const Codec<PriceView> view =
      Record<PriceView>("Cost")
          .required("id", &PriceView::id, nullable(string()))
          .required("llm_id", &PriceView::llm_id, nullable(string()), "The model.")
          .required("prompt_token_cost", &PriceView::prompt, nullable(number()))
          .required("completion_token_cost", &PriceView::completion, nullable(number()))
          .required("cache_read_input_token_cost", &PriceView::cache_read, nullable(number()))
          .required("cache_creation_input_token_cost", &PriceView::cache_creation,
                    nullable(number()))
          .required("prompt_token_cost_unit", &PriceView::prompt_unit, nullable(string()))
          .required("completion_token_cost_unit", &PriceView::completion_unit, nullable(string()))
          .required("effective_date", &PriceView::effective_date, nullable(schema::dateTime()))
          .required("provider_id", &PriceView::provider_id, nullable(string()))
          .codec();
  return Record<QueryReply>("CostQueryReply")
      .required("results", &QueryReply::results, schema::list(view))
      .codec();
}

Codec<PurgeBody> purgeCodec() {
  return costRecord<PurgeBody>("CostPurgeRequest")
      .required("query", &PurgeBody::query, query::queryCodec(),
                "`$eq` or `$in` of `id` and literals, or `$or` of such `$eq`.")
      .codec();
}

Result<CreateReply> createCosts(const PricingServices& services,
                                const Context& context,
                                CreateBody body) {
  const std::string& caller = context.caller().user_id;
  const ProjectAccess access = TRY(services.access.writeProject(caller, body.project_id));
  std::vector<NewPrice> wanted;
  wanted.reserve(body.costs.size());
  for (std::pair<std::string, NewPrice>& cost : body.costs) {
    cost.second.llm_id = std::move(cost.first);
    wanted.push_back(std::move(cost.second));
  }
  const std::vector<Price> made = TRY(services.prices.insert(access.project_id, caller, wanted));
  CreateReply reply;
  for (const Price& price : made) reply.ids.emplace_back(price.id, price.llm_id);
  return reply;
}

/// Fills the fields that `fields` names, or all fields if it is empty.
PriceView viewOf(const Price& price, const std::vector<std::string>& fields) {
  const auto wanted = [&fields](std::string_view name) {
    return fields.empty() || std::find(fields.begin(), fields.end(), name) != fields.end();
  };
  PriceView view;
  if (wanted("id")) view.id = price.id;
  if (wanted("llm_id")) view.llm_id = price.llm_id;
  if (wanted("prompt_token_cost")) view.prompt = price.tokens.prompt;
  if (wanted("completion_token_cost")) view.completion = price.tokens.completion;
  if (wanted("cache_read_input_token_cost")) view.cache_read = price.tokens.cache_read;
  if (wanted("cache_creation_input_token_cost")) view.cache_creation = price.tokens.cache_creation;
  if (wanted("prompt_token_cost_unit")) view.prompt_unit = price.prompt_unit;
  if (wanted("completion_token_cost_unit")) view.completion_unit = price.completion_unit;
  if (wanted("effective_date")) view.effective_date = price.effective_date;
  if (wanted("provider_id")) view.provider_id = price.provider_id;
  return view;
}

Result<Reply<QueryReply>> queryCosts(const PricingServices& services,
                                     const Context& context,
                                     QueryBody body) {
  const ProjectAccess access =
      TRY(services.access.readProject(context.caller().user_id, body.project_id));
  const std::vector<std::string> fields = body.fields.value_or(std::vector<std::string>());
  for (const std::string& field : fields) {
    if (findPriceField(field) == nullptr) return unknownPriceField(field);
  }
  Result<std::vector<Price>> prices = std::vector<Price>();
  if (access.exists()) prices = services.prices.ofProject(access.project_id);
  if (!prices) return prices.error();
  const PriceQuery request{std::move(body.query),
                           body.sort_by.value_or(std::vector<query::SortKey>()), body.limit,
                           body.offset};
  const std::vector<Price> chosen = TRY(queryPrices(*std::move(prices), request, body.project_id));
  QueryReply reply;
  for (const Price& price : chosen) reply.results.push_back(viewOf(price, fields));
  return Reply(std::move(reply));
}

Result<EmptyReply> purgeCosts(const PricingServices& services,
                              const Context& context,
                              const PurgeBody& body) {
  const ProjectAccess access =
      TRY(services.access.writeProject(context.caller().user_id, body.project_id));
  const std::vector<std::string> ids = TRY(idsToPurge(body.query));
  TRY(services.prices.remove(access.project_id, ids));
  return EmptyReply{};
}

}  // namespace

void addPricingRoutes(PricingRoutes routes) {
  routes.setTag("costs");
  routes.post("/cost/create", {"createCosts", "Add prices of models to a project"},
              {.body = createCodec(), .reply = createReplyCodec()}, createCosts);
  routes.post("/cost/query",
              {"queryCosts", "List the prices of a project",
               "Returns the project's own prices. Default prices are not included."},
              {.body = queryBodyCodec(), .reply = queryReplyCodec()}, queryCosts);
  routes.post("/cost/purge", {"purgeCosts", "Delete prices of a project by id"},
              {.body = purgeCodec(), .reply = Record<EmptyReply>("Empty").codec()}, purgeCosts);
}

}  // namespace spindle::pricing
