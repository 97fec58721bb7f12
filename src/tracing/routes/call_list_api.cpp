#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/message/body_stream.h"
#include "http/router/route_group.h"
#include "json/escape.h"
#include "json/writer.h"
#include "query/codec.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/routes/call_cursor.h"
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

/// Longer than any cursor: sort texts are short.
constexpr std::size_t kMaxCursorBytes = 32 << 10;

struct CallsQueryBody : CallSelectionBody, PageBody {
  std::optional<std::vector<std::string>> columns;
  std::optional<std::vector<std::string>> expand_columns;
  std::optional<bool> return_expanded_column_values = true;
  std::optional<bool> include_costs = false;
  std::optional<bool> include_feedback = false;
  std::optional<bool> include_storage_size = false;
  std::optional<bool> include_total_storage_size = false;
  std::optional<bool> include_usernames = false;
  std::optional<std::string> cursor;
  std::optional<bool> include_cursor = false;
  std::optional<std::int64_t> preview_bytes;

  bool paged() const { return cursor || include_cursor.value_or(false); }
  /// Returns true for a request that SDKs do not make: its response has only the requested members.
  bool compact() const { return paged() || preview_bytes; }
};

schema::Codec<CallsQueryBody> callsQueryCodec() {
  using B = CallsQueryBody;
  const auto flag = nullable(boolean());
  Record<B> record = callSelectionRecord<B>("CallsQuery");
  addPage(record)
      .optional("sort_by", &B::sort_by, nullable(query::sortCodec()),
                "Sort keys. Default: by started_at, then id.")
      .optional("columns", &B::columns, nullable(list(string())),
                "Null: all. With cursor, include_cursor or preview_bytes, calls contain nothing "
                "else but their id; `summary.svc` selects the derived members.")
      .optional("expand_columns", &B::expand_columns, nullable(list(string())),
                "Paths whose references are replaced by the objects they name.")
      .optional("return_expanded_column_values", &B::return_expanded_column_values, flag,
                "False: expand only for filters and sort order.");
  return record.optional("include_costs", &B::include_costs, flag, "")
      .optional("include_feedback", &B::include_feedback, flag, "")
      .optional("include_storage_size", &B::include_storage_size, flag, "")
      .optional("include_total_storage_size", &B::include_total_storage_size, flag, "")
      .optional("include_usernames", &B::include_usernames, flag, "")
      .optional("cursor", &B::cursor, nullable(string({.max_length = kMaxCursorBytes})),
                "`next_cursor` of the previous page, with the same filter, query and sort keys.")
      .optional("include_cursor", &B::include_cursor, flag,
                "End with {\"next_cursor\": …}. Requires a limit of at most 10000. Texts are "
                "sorted by their first 128 characters.")
      .optional("preview_bytes", &B::preview_bytes, nullable(integer({.ge = 16, .le = 65'536})),
                "Replace inputs, output, attributes, exception and the stored summary by previews "
                "if they are larger. Attributes then have no `otel_span`.")
      .codec();
}

Error memberError(std::string_view member, std::string_view rule, std::string input) {
  Violation violation;
  violation.type = "value_error";
  violation.loc = {LocStep("body"), LocStep(std::string(member))};
  violation.msg = "Value error, " + std::string(rule);
  violation.input = std::move(input);
  violation.ctx = R"({"error":{}})";
  return Error::invalid({std::move(violation)});
}

/// Checks the rules of the members that SDKs do not send.
Result<void> checkMembers(const CallsQueryBody& body) {
  if (body.paged()) {
    if (!body.limit || *body.limit < 1 || *body.limit > kMaxPositionedRows) {
      return memberError("limit", "pages with a cursor require a limit from 1 to 10000",
                         body.limit ? std::to_string(*body.limit) : "null");
    }
    if (body.cursor && body.offset.value_or(0) != 0)
      return memberError("offset", "not allowed with a cursor", std::to_string(*body.offset));
  }
  if (body.preview_bytes && body.expand_columns && !body.expand_columns->empty() &&
      body.return_expanded_column_values.value_or(true)) {
    return memberError("return_expanded_column_values", "must be false with preview_bytes", "true");
  }
  return {};
}

/// Returns a text that identifies the calls of a request and their order.
std::string listOf(const CallsQueryBody& body, const ProjectScope& project) {
  std::string text = project.id + "\n";
  text += callFilterCodec().toJson(body.filter.value_or(CallFilter())) + "\n";
  if (body.query) text += query::queryCodec().toJson(*body.query);
  text += "\n";
  if (body.sort_by) text += query::sortCodec().toJson(*body.sort_by);
  text += "\n";
  if (body.expand_columns) text += list(string()).toJson(*body.expand_columns);
  return text;
}

/// The calls of a response while it is streamed. Members are destroyed in reverse order: readers
/// before views.
struct CallStream {
  std::unique_ptr<CallView> view;
  std::unique_ptr<CallReader> reader;
  std::unique_ptr<CallPresenter> presenter;
  bool paged = false;
  std::string list = {};  ///< listOf()

  /// Returns the next calls as JSON; none at the end.
  Result<std::vector<std::string>> next() {
    std::vector<Call> calls = TRY(reader->next());
    return presenter->present(std::move(calls));
  }
  /// Returns the cursor of the next page as JSON, after the last call.
  std::string nextCursor() const {
    const std::optional<query::Position> position = reader->end();
    return position ? json::quoted(callCursor(list, *position)) : "null";
  }
};

CallReadOptions readOptions(const CallsQueryBody& body, const CallQuery& selection) {
  CallReadOptions options;
  options.costs = body.include_costs.value_or(false);
  options.feedback = body.include_feedback.value_or(false);
  options.storage_size = body.include_storage_size.value_or(false);
  options.total_storage_size = body.include_total_storage_size.value_or(false);
  options.usernames = body.include_usernames.value_or(false);
  options.preview_bytes = body.preview_bytes;
  if (body.return_expanded_column_values.value_or(true))
    options.expand_columns = selection.expand_columns;
  if (!body.columns) return options;
  std::vector<std::string> columns;
  for (const std::string& column : *body.columns) columns.push_back(wire::neutralField(column));
  if (!body.compact()) {
    options.members = CallMembers::named(columns, options.costs);
    return options;
  }
  options.members = CallMembers::onlyNamed(columns);
  options.members.derived = options.members.derived || options.costs || options.feedback;
  options.members.storage_size = options.members.storage_size || options.storage_size;
  options.members.total_storage_size =
      options.members.total_storage_size || options.total_storage_size;
  return options;
}

Result<std::shared_ptr<CallStream>> openStream(const TracingServices& services,
                                               const Context& context,
                                               CallsQueryBody body) {
  TRY(checkMembers(body));
  const ProjectScope project = TRY(readableProject(services, context, body.project_id));
  std::string list = body.paged() ? listOf(body, project) : std::string();
  std::unique_ptr<objects::RefProjects> projects = services.ref_projects(context.caller().user_id);
  CallQuery selection = TRY(callQueryOf(std::move(body.filter), std::move(body.query),
                                        body.expand_columns, project, *projects));
  CallPage page = TRY(pageOf(body.sort_by, body.limit, body.offset));
  page.positions = body.paged();
  if (body.cursor) {
    query::Position after = TRY(positionOfCursor(list, *body.cursor));
    page.after = std::move(after);
  }
  auto presenter = std::make_unique<CallPresenter>(presenterPorts(services), project,
                                                   readOptions(body, selection), context.spelling(),
                                                   std::move(projects));
  std::unique_ptr<CallView> view = TRY(services.calls.view(project));
  Result<std::unique_ptr<CallReader>> reader = view->read(selection, page, presenter->projection());
  if (!reader) return std::move(reader).error();
  return std::make_shared<CallStream>(CallStream{
      std::move(view), *std::move(reader), std::move(presenter), body.paged(), std::move(list)});
}

/// Text around and between the calls of a body, and around the cursor after them.
struct Punctuation {
  std::string_view open;
  std::string_view between;
  std::string_view close;
  std::string_view cursor;
  std::string_view end;
};
constexpr Punctuation kLines{"", "\n", "\n", R"({"next_cursor":)", "}\n"};
constexpr Punctuation kList{R"({"calls":[)", ",", "]", R"(,"next_cursor":)", "}"};

/// Writes the end of a body. `any` tells whether it contains a call.
void writeEnd(const CallStream& stream, const Punctuation& marks, bool any, std::string& piece) {
  const bool lines = marks.open.empty();
  if (any || !lines) piece += marks.close;
  if (stream.paged) piece.append(marks.cursor).append(stream.nextCursor());
  if (stream.paged || !lines) piece += marks.end;
}

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
          writeEnd(*stream, marks, state->any, piece);
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

}  // namespace

void addCallListRoutes(const TracingRoutes& routes) {
  http::replyWithLines(
      routes.post("/calls/stream_query", {"streamCalls", "Query calls, streamed as JSON Lines."},
                  {.body = callsQueryCodec()},
                  [](const TracingServices& services, const Context& context, CallsQueryBody body) {
                    return streamCalls(services, context, std::move(body), kLines);
                  }),
      callLineType());
  http::Route& query = routes.post(
      "/calls/query", {"queryCalls", "Query calls, returned as one JSON object."},
      {.body = callsQueryCodec()},
      [](const TracingServices& services, const Context& context, CallsQueryBody body) {
        Result<Reply<Nothing>> reply = streamCalls(services, context, std::move(body), kList);
        if (reply) reply->headers.set("Content-Type", "application/json");
        return reply;
      });
  query.describe_reply = http::descriptionOf(callListType());
}

}  // namespace spindle::tracing
