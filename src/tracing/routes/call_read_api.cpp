#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/paging.h"
#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "query/codec.h"
#include "schema/compound.h"
#include "schema/described.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/routes/call_presenter.h"
#include "tracing/routes/call_query_api.h"
#include "tracing/routes/call_view_api.h"
#include "tracing/routes/tracing_api.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {
namespace {

using http::Context;
using schema::boolean, schema::integer, schema::list, schema::nullable, schema::Record,
    schema::string;

struct ReadBody {
  std::string project_id;
  std::string id;
  std::optional<bool> include_costs = false;
  std::optional<bool> include_storage_size = false;
  std::optional<bool> include_total_storage_size = false;
};
struct ReadReply {
  std::optional<json::Text> call;
};

struct CallCountBody : CallSelectionBody {
  std::optional<std::int64_t> limit;
  std::optional<bool> include_total_storage_size = false;
  std::optional<std::vector<std::string>> expand_columns;
};
struct CallCountReply {
  std::int64_t count = 0;
  bool has_more = false;
  std::optional<std::int64_t> total_storage_size_bytes;
};

schema::Codec<std::optional<bool>> flag() { return nullable(boolean()); }

/// A flag of a request body by its name.
template <class Body>
using NamedFlag = std::pair<const char*, std::optional<bool> Body::*>;

template <class Body>
Record<Body>& addFlags(Record<Body>& record, std::initializer_list<NamedFlag<Body>> flags) {
  for (const auto& [name, member] : flags) record.optional(name, member, flag(), "");
  return record;
}

schema::Codec<ReadBody> readCodec() {
  Record<ReadBody> record = identity::projectRecord<ReadBody>("CallRead");
  record.required("id", &ReadBody::id, string());
  return addFlags(record, {{"include_costs", &ReadBody::include_costs},
                           {"include_storage_size", &ReadBody::include_storage_size},
                           {"include_total_storage_size", &ReadBody::include_total_storage_size}})
      .codec();
}

schema::Codec<CallCountBody> callCountCodec() {
  return callSelectionRecord<CallCountBody>("CallsQueryStats")
      .optional("limit", &CallCountBody::limit,
                nullable(schema::describedAs(schema::integer(), schema::integer({.ge = 1}))),
                "Maximum number of calls to count.")
      .optional("include_total_storage_size", &CallCountBody::include_total_storage_size, flag())
      .optional("expand_columns", &CallCountBody::expand_columns, nullable(list(string())),
                "Paths whose references are expanded for filters.")
      .codec();
}

schema::Codec<CallCountReply> callCountReplyCodec() {
  return Record<CallCountReply>("CallsStats")
      .required("count", &CallCountReply::count, integer(), "Matching calls, at most `limit`.")
      .required("has_more", &CallCountReply::has_more, boolean(),
                "True if more calls match than were counted.")
      .required("total_storage_size_bytes", &CallCountReply::total_storage_size_bytes,
                nullable(integer()), "Null unless include_total_storage_size is true.")
      .codec();
}

Result<ReadReply> readCall(const TracingServices& services,
                           const Context& context,
                           const ReadBody& body) {
  const ProjectScope project = TRY(readableProject(services, context, body.project_id));
  CallReadOptions options;
  options.costs = body.include_costs.value_or(false);
  options.storage_size = body.include_storage_size.value_or(false);
  options.total_storage_size = body.include_total_storage_size.value_or(false);
  CallPresenter presenter(presenterPorts(services), project, std::move(options), context.spelling(),
                          services.ref_projects(context.caller().user_id));
  std::vector<Call> calls;
  {
    std::unique_ptr<CallView> view = TRY(services.calls.view(project));
    std::optional<Call> found = TRY(view->find(body.id, presenter.projection().columns));
    if (!found) return ReadReply{};
    calls.push_back(*std::move(found));
  }
  std::vector<std::string> texts = TRY(presenter.present(std::move(calls)));
  return ReadReply{json::Text{std::move(texts.front())}};
}

Result<CallCountReply> countCalls(const TracingServices& services,
                                  const Context& context,
                                  CallCountBody body) {
  const ProjectScope project = TRY(readableProject(services, context, body.project_id));
  if (body.limit && *body.limit <= 0)
    return Error::invalidArgument("Limit must be a positive integer");
  if (body.limit) body.limit = boundedRows(*body.limit);
  const std::unique_ptr<objects::RefProjects> projects =
      services.ref_projects(context.caller().user_id);
  const CallQuery selection = TRY(callQueryOf(std::move(body.filter), std::move(body.query),
                                              std::move(body.expand_columns), project, *projects));
  std::unique_ptr<CallView> view = TRY(services.calls.view(project));
  const CallCount count =
      TRY(view->count(selection, body.limit, body.include_total_storage_size.value_or(false)));
  return CallCountReply{count.count, count.has_more, count.total_storage_bytes};
}

}  // namespace

void addCallReadRoutes(const TracingRoutes& routes) {
  routes.post("/call/read", {"readCall", "Read one call."},
              {.body = readCodec(),
               .reply = Record<ReadReply>("CallReadReply")
                            .required("call", &ReadReply::call, nullable(callViewCodec()),
                                      "Null if the call does not exist.")
                            .codec()},
              readCall);
  routes.post("/calls/query_stats", {"countCalls", "Count calls."},
              {.body = callCountCodec(), .reply = callCountReplyCodec()}, countCalls);
}

}  // namespace spindle::tracing
