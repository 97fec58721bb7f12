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
#include "query/codec.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "wire/spelling.h"

namespace spindle::feedback {
namespace {

using http::BodyStream, http::Context, http::Nothing, http::Reply;
using schema::Codec, schema::nullable, schema::Record, schema::string;

struct QueryBody {
  std::string project_id;
  std::optional<std::vector<std::string>> fields;
  std::optional<query::Query> query;
  std::optional<std::vector<query::SortKey>> sort_by;
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> offset;
};

/// For the OpenAPI document only; the response is streamed.
struct QueryReply {
  std::vector<json::Text> result;
  std::int64_t total_count = 0;
};

Codec<QueryBody> queryBodyCodec() {
  const auto count = query::rowCountCodec();
  return identity::projectRecord<QueryBody>("FeedbackQuery")
      .optional("fields", &QueryBody::fields, nullable(schema::list(string())),
                "Columns, and paths such as `payload.score`. Default: all columns.")
      .optional("query", &QueryBody::query, nullable(query::queryCodec()),
                "Filter on the feedback.")
      .optional("sort_by", &QueryBody::sort_by, nullable(query::sortCodec()),
                "Sort keys. Default: creation order.")
      .optional("limit", &QueryBody::limit, count, "Maximum number of results.")
      .optional("offset", &QueryBody::offset, count, "Number of results to skip.")
      .codec();
}

Codec<QueryReply> queryReplyCodec() {
  return Record<QueryReply>("FeedbackPage")
      .required("result", &QueryReply::result, schema::list(schema::jsonObject()), "")
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
class Page {
 public:
  Page(std::unique_ptr<FeedbackReader> reader,
       std::vector<Member> members,
       std::string project,
       wire::Spelling spelling,
       std::unique_ptr<objects::RefProjects> projects)
      : reader_(std::move(reader)),
        members_(std::move(members)),
        project_(std::move(project)),
        spelling_(spelling),
        projects_(std::move(projects)) {}

  Result<void> next(std::string& piece, bool& more) {
    std::vector<FeedbackRow> rows = TRY(reader_->next());
    if (!started_) piece += R"({"result":[)";
    for (const FeedbackRow& row : rows) {
      std::string text = textOf(row);
      TRY(objects::externalizeRefs(text, *projects_, spelling_));
      if (any_) piece += ',';
      any_ = true;
      piece += text;
    }
    started_ = true;
    more = !rows.empty();
    if (!more) piece += R"(],"total_count":)" + std::to_string(reader_->total()) + "}";
    return {};
  }

 private:
  std::string textOf(const FeedbackRow& row) const {
    std::string text;
    json::Writer out(text);
    out.beginObject();
    std::size_t path = 0;
    for (const Member& member : members_) {
      out.key(member.name);
      if (member.is_path) {
        writeText(member, row.texts[path++], out);
      } else {
        writeColumn(member.column, row.feedback, project_, spelling_, out);
      }
    }
    out.endObject();
    return text;
  }

  const std::unique_ptr<FeedbackReader> reader_;
  const std::vector<Member> members_;
  const std::string project_;
  const wire::Spelling spelling_;
  const std::unique_ptr<objects::RefProjects> projects_;
  bool started_ = false;
  bool any_ = false;
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
  const auto page = std::make_shared<Page>(std::move(reader), std::move(members), std::move(name),
                                           context.spelling(), std::move(projects));
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

void addFeedbackReadRoutes(FeedbackRoutes routes) {
  http::Route& route =
      routes.post("/feedback/query", {"queryFeedback", "List feedback of a project"},
                  {.body = queryBodyCodec()}, queryFeedback);
  route.describe_reply = http::descriptionOf(queryReplyCodec().type());
}

}  // namespace spindle::feedback
