#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/core/paging.h"
#include "feedback/feedback_fields.h"
#include "feedback/feedback_json.h"
#include "feedback/feedback_routes.h"
#include "http/message/body_stream.h"
#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "json/writer.h"
#include "query/paged_query.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "wire/spelling.h"

namespace spindle::feedback {
namespace {

using http::BodyStream, http::Context, http::Nothing, http::Reply;
using schema::Codec, schema::Record;

struct QueryBody : query::PagedQuery {
  std::string project_id;
};

/// For the OpenAPI document only; the response is streamed.
struct QueryReply {
  std::vector<json::Text> result;
  std::int64_t total_count = 0;
};

Codec<QueryBody> queryBodyCodec() {
  auto record = identity::projectRecord<QueryBody>("FeedbackQuery");
  return query::addPagedQuery(
             record, {.fields = "Columns, and paths such as `payload.score`. Default: all columns.",
                      .query = "Filter on the feedback.",
                      .sort_by = "Sort keys. Default: creation order.",
                      .limit = "Maximum number of results.",
                      .offset = "Number of results to skip."})
      .codec();
}

Codec<QueryReply> queryReplyCodec() {
  return Record<QueryReply>("FeedbackPage")
      .required("result", &QueryReply::result, schema::list(schema::jsonObject()))
      .required("total_count", &QueryReply::total_count, schema::integer(),
                "Number of matches before paging.")
      .codec();
}

/// One member of each result: a column, or the string at a path.
struct Member {
  std::string name;    ///< as written in the response
  std::string column;  ///< neutral; for a path, the column that it starts with
  bool is_path = false;
};

bool isColumn(std::string_view name) {
  const std::vector<std::string_view>& columns = feedbackColumns();
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

Result<std::vector<Member>> membersOf(const std::vector<std::string>& fields,
                                      wire::Spelling spelling) {
  std::vector<Member> members;
  if (fields.empty()) {
    for (const std::string_view column : feedbackColumns()) {
      members.push_back(
          {std::string(wire::memberFor(spelling, column)), std::string(column), false});
    }
    return members;
  }
  for (const std::string& field : fields) {
    const std::string neutral = wire::neutralField(field);
    TRY(feedbackField(neutral));
    const bool column = isColumn(neutral);
    members.push_back({column ? std::string(wire::memberFor(spelling, neutral)) : field,
                       neutral.substr(0, column ? neutral.size() : neutral.find('.')), !column});
  }
  return members;
}

/// Writes the string at a path with its JSON type: entries of maps of numbers are numbers.
void writeText(const Member& member, const std::string& text, json::Writer& out) {
  const bool number = member.column == "scorer_ratings" ||
                      member.column == "scorer_tag_confidences" ||
                      member.column == "scorer_rating_confidences";
  if (!number) {
    out.string(text);
  } else if (text.empty()) {
    out.null();
  } else {
    out.raw(text);
  }
}

/// Writes the response body in chunks.
struct Page {
  std::unique_ptr<FeedbackReader> reader;
  std::vector<Member> members;
  std::string project;
  wire::Spelling spelling = wire::Spelling::kNeutral;
  std::unique_ptr<objects::RefProjects> projects;
  bool started = false;
  bool any = false;

  Result<void> next(std::string& piece, bool& more) {
    std::vector<FeedbackRow> rows = TRY(reader->next());
    if (!started) piece += R"({"result":[)";
    for (const FeedbackRow& row : rows) {
      std::string text = textOf(row);
      TRY(objects::externalizeRefs(text, *projects, spelling));
      if (any) piece += ',';
      any = true;
      piece += text;
    }
    started = true;
    more = !rows.empty();
    if (!more) piece += R"(],"total_count":)" + std::to_string(reader->total()) + "}";
    return {};
  }

  std::string textOf(const FeedbackRow& row) const {
    std::string text;
    json::Writer out(text);
    out.beginObject();
    std::size_t path = 0;
    for (const Member& member : members) {
      out.key(member.name);
      if (member.is_path) {
        writeText(member, row.texts[path++], out);
      } else {
        writeColumn(member.column, row.feedback, project, spelling, out);
      }
    }
    out.endObject();
    return text;
  }
};

Result<FeedbackQuery> feedbackQueryOf(QueryBody body,
                                      const std::vector<Member>& members,
                                      objects::RefProjects& projects) {
  TRY(query::checkPage(body.limit, body.offset));
  FeedbackQuery request;
  request.query = std::move(body.query);
  if (request.query) {
    TRY(internalizeQuery(*request.query, projects));
  }
  request.sort = body.sort_by.value_or(std::vector<query::SortKey>());
  if (body.limit) request.limit = boundedRows(*body.limit);
  request.offset = boundedRows(body.offset.value_or(0));
  for (const Member& member : members) {
    if (member.is_path) request.paths.push_back(wire::neutralField(member.name));
  }
  return request;
}

Result<Reply<Nothing>> queryFeedback(const FeedbackServices& services,
                                     const Context& context,
                                     QueryBody body) {
  const identity::ProjectAccess project =
      TRY(services.access.readProject(context.caller().user_id, body.project_id));
  std::string name = body.project_id;
  std::vector<Member> members =
      TRY(membersOf(body.fields.value_or(std::vector<std::string>()), context.spelling()));
  std::unique_ptr<objects::RefProjects> projects = services.ref_projects(context.caller().user_id);
  const FeedbackQuery request = TRY(feedbackQueryOf(std::move(body), members, *projects));
  std::unique_ptr<FeedbackReader> reader =
      TRY(services.store.read(project.project_id, name, request));
  const auto page =
      std::make_shared<Page>(Page{std::move(reader), std::move(members), std::move(name),
                                  context.spelling(), std::move(projects)});
  Reply reply(Nothing{});
  reply.headers.set("Content-Type", "application/json");
  reply.stream =
      std::make_shared<http::PulledBody>([page, done = false](std::string& piece) mutable {
        if (done) return BodyStream::State::kEnd;
        bool more = false;
        if (const Result<void> written = page->next(piece, more); !written)
          return BodyStream::State::kBroken;
        done = !more;
        return BodyStream::State::kChunk;
      });
  return reply;
}

}  // namespace

void addFeedbackReadRoutes(const FeedbackRoutes& routes) {
  http::Route& route =
      routes.post("/feedback/query", {"queryFeedback", "List feedback of a project"},
                  {.body = queryBodyCodec()}, queryFeedback);
  route.describe_reply = http::descriptionOf(queryReplyCodec().type());
}

}  // namespace spindle::feedback
