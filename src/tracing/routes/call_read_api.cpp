#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/paging.h"
#include "http/message/body_stream.h"
#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "identity/store/user_repository.h"
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

using http::BodyStream, http::Context, http::Nothing, http::Reply;
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

struct CallsQueryBody : CallSelectionBody, PageBody {
  std::optional<std::vector<std::string>> columns;
  std::optional<std::vector<std::string>> expand_columns;
  std::optional<bool> return_expanded_column_values = true;
  std::optional<bool> include_costs = false;
  std::optional<bool> include_feedback = false;
  std::optional<bool> include_storage_size = false;
  std::optional<bool> include_total_storage_size = false;
  std::optional<bool> include_usernames = false;
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

schema::Codec<CallsQueryBody> callsQueryCodec() {
  Record<CallsQueryBody> record = callSelectionRecord<CallsQueryBody>("CallsQuery");
  addPage(record)
      .optional("sort_by", &CallsQueryBody::sort_by, nullable(query::sortCodec()),
                "Sort keys. Default: by started_at, then id.")
      .optional("columns", &CallsQueryBody::columns, nullable(list(string())), "Null: all.")
      .optional("expand_columns", &CallsQueryBody::expand_columns, nullable(list(string())),
                "Paths whose references are replaced by the objects they name.")
      .optional("return_expanded_column_values", &CallsQueryBody::return_expanded_column_values,
                flag(), "False: expand only for filters and sort order.");
  return addFlags(record,
                  {{"include_costs", &CallsQueryBody::include_costs},
                   {"include_feedback", &CallsQueryBody::include_feedback},
                   {"include_storage_size", &CallsQueryBody::include_storage_size},
                   {"include_total_storage_size", &CallsQueryBody::include_total_storage_size},
                   {"include_usernames", &CallsQueryBody::include_usernames}})
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

PresenterPorts presenterPorts(const TracingServices& services) {
  PresenterPorts ports{services.calls, services.ref_values};
  ports.username = [&users =
                        services.users](std::string_view id) -> Result<std::optional<std::string>> {
    Result<identity::User> user = users.find(id);
    if (user) return std::optional<std::string>(user->username);
    if (user.error().code() == ErrorCode::kNotFound) return std::optional<std::string>();
    return std::move(user).error();
  };
  ports.prices = services.prices;
  ports.feedback = services.feedback;
  return ports;
}

/// The calls of a response while it is streamed. Members are destroyed in reverse order: readers
/// before views.
struct CallStream {
  std::unique_ptr<CallView> view;
  std::unique_ptr<CallReader> reader;
  std::unique_ptr<CallPresenter> presenter;

  /// Returns the next calls as JSON; none at the end.
  Result<std::vector<std::string>> next() {
    std::vector<Call> calls = TRY(reader->next());
    return presenter->present(std::move(calls));
  }
};

Result<std::shared_ptr<CallStream>> openStream(const TracingServices& services,
                                               const Context& context,
                                               CallsQueryBody body) {
  const ProjectScope project = TRY(readableProject(services, context, body.project_id));
  const std::string& caller = context.caller().user_id;
  std::unique_ptr<objects::RefProjects> projects = services.ref_projects(caller);
  CallQuery selection = TRY(callQueryOf(std::move(body.filter), std::move(body.query),
                                        std::move(body.expand_columns), project, *projects));
  CallPage page = TRY(pageOf(std::move(body.sort_by), body.limit, body.offset));

  CallReadOptions options;
  options.costs = body.include_costs.value_or(false);
  options.feedback = body.include_feedback.value_or(false);
  options.storage_size = body.include_storage_size.value_or(false);
  options.total_storage_size = body.include_total_storage_size.value_or(false);
  options.usernames = body.include_usernames.value_or(false);
  if (body.return_expanded_column_values.value_or(true))
    options.expand_columns = selection.expand_columns;
  if (body.columns) {
    std::vector<std::string> columns;
    for (const std::string& column : *body.columns) columns.push_back(wire::neutralField(column));
    options.members = CallMembers::named(columns, options.costs);
  }
  auto presenter =
      std::make_unique<CallPresenter>(presenterPorts(services), project, std::move(options),
                                      context.spelling(), std::move(projects));
  std::unique_ptr<CallView> view = TRY(services.calls.view(project));
  std::unique_ptr<CallReader> reader = TRY(view->read(selection, page, presenter->columns()));
  return std::make_shared<CallStream>(
      CallStream{std::move(view), std::move(reader), std::move(presenter)});
}

/// Text around and between the calls of a body.
struct Punctuation {
  std::string_view open;
  std::string_view between;
  std::string_view close;
};
constexpr Punctuation kLines{"", "\n", "\n"};
constexpr Punctuation kList{R"({"calls":[)", ",", "]}"};

/// Reads the first batch immediately, so that a failing query returns an error status.
Result<std::shared_ptr<BodyStream>> bodyOf(const std::shared_ptr<CallStream>& stream,
                                           const Punctuation& marks) {
  std::vector<std::string> first = TRY(stream->next());
  struct State {
    std::vector<std::string> batch;
    bool begun = false;
    bool any = false;
  };
  auto state = std::make_shared<State>();
  state->batch = std::move(first);
  return std::shared_ptr<BodyStream>(
      std::make_shared<http::PulledBody>([stream, state, marks](std::string& piece) {
        piece.clear();
        if (!stream->reader) return BodyStream::State::kEnd;
        if (std::exchange(state->begun, true)) {
          Result<std::vector<std::string>> more = stream->next();
          if (!more) return BodyStream::State::kBroken;
          state->batch = *std::move(more);
        } else {
          piece += marks.open;
        }
        for (const std::string& call : state->batch) {
          if (std::exchange(state->any, true)) piece += marks.between;
          piece += call;
        }
        if (state->batch.empty()) {
          if (state->any || !marks.open.empty()) piece += marks.close;
          stream->reader.reset();
          stream->view.reset();
          return piece.empty() ? BodyStream::State::kEnd : BodyStream::State::kChunk;
        }
        return BodyStream::State::kChunk;
      }));
}

Result<Reply<Nothing>> streamCalls(const TracingServices& services,
                                   const Context& context,
                                   CallsQueryBody body,
                                   const Punctuation& marks) {
  std::shared_ptr<CallStream> stream = TRY(openStream(services, context, std::move(body)));
  std::shared_ptr<BodyStream> lines = TRY(bodyOf(stream, marks));
  Reply<Nothing> reply{Nothing{}};
  reply.stream = std::move(lines);
  return reply;
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
    std::optional<Call> found = TRY(view->find(body.id, presenter.columns()));
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
  http::replyWithLines(
      routes.post("/calls/stream_query", {"streamCalls", "Query calls, streamed as JSON Lines."},
                  {.body = callsQueryCodec()},
                  [](const TracingServices& services, const Context& context, CallsQueryBody body) {
                    return streamCalls(services, context, std::move(body), kLines);
                  }),
      callViewCodec().type());
  http::Route& query = routes.post(
      "/calls/query", {"queryCalls", "Query calls, returned as one JSON object."},
      {.body = callsQueryCodec()},
      [](const TracingServices& services, const Context& context, CallsQueryBody body) {
        Result<Reply<Nothing>> reply = streamCalls(services, context, std::move(body), kList);
        if (reply) reply->headers.set("Content-Type", "application/json");
        return reply;
      });
  struct CallList {
    std::vector<json::Text> calls;
  };
  query.describe_reply =
      http::descriptionOf(Record<CallList>("CallList")
                              .required("calls", &CallList::calls, list(callViewCodec()))
                              .codec()
                              .type());
  routes.post("/calls/query_stats", {"countCalls", "Count calls."},
              {.body = callCountCodec(), .reply = callCountReplyCodec()}, countCalls);
}

}  // namespace spindle::tracing
