#include "transfer/call_page.h"

#include <optional>
#include <utility>

#include "json/document.h"
#include "json/writer.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "transfer/json_depth.h"

namespace spindle::transfer {
namespace {

using json::Writer;
using schema::ifPresent;

void writeComparison(Writer& out,
                     std::string_view operation,
                     std::string_view field,
                     std::string_view literal) {
  out.beginObject().key(operation).beginArray();
  out.beginObject().key("$getField").string(field).endObject();
  out.beginObject().key("$literal").string(literal).endObject();
  out.endArray().endObject();
}

/// Returns the condition of the calls to fetch; nothing if it matches all calls.
std::optional<json::Text> queryFor(const ExportRange& range, const std::optional<Cursor>& cursor) {
  if (!range.from && !range.to && !cursor) return std::nullopt;
  json::Text query{""};
  Writer out(query.json);
  out.beginObject().key("$expr").beginObject().key("$and").beginArray();
  if (range.from) writeComparison(out, "$gte", "started_at", formatTimestamp(*range.from));
  if (range.to) writeComparison(out, "$lt", "started_at", formatTimestamp(*range.to));
  if (cursor) {
    const std::string time = formatTimestamp(cursor->started_at);
    // A later start time, or the same start time and a greater id. The store can use this bound to
    // skip rows.
    writeComparison(out, "$gte", "started_at", time);
    out.beginObject().key("$or").beginArray();
    writeComparison(out, "$gt", "started_at", time);
    writeComparison(out, "$gt", "id", cursor->id);
    out.endArray().endObject();
  }
  out.endArray().endObject().endObject();
  return query;
}

/// The body of a request for calls, or for their number.
struct CallsRequest {
  std::string project_id;
  std::optional<json::Text> query;
  std::optional<json::Text> sort_by = {};
  std::optional<std::int64_t> limit = {};
};

std::string bodyOf(const CallsRequest& request) {
  using R = CallsRequest;
  return schema::Record<R>("CallsRequest")
      .required("project_id", &R::project_id, schema::string())
      .optional("query", &R::query, ifPresent(schema::anyJson()))
      .optional("sort_by", &R::sort_by, ifPresent(schema::anyJson()))
      .optional("limit", &R::limit, ifPresent(schema::integer()))
      .codec()
      .toJson(request);
}

Error invalidResponse(const std::string& what) { return {ErrorCode::kUpstream, what}; }

}  // namespace

std::string pageRequest(const ExportRange& range,
                        const std::optional<Cursor>& cursor,
                        std::int64_t limit) {
  const json::Text order{
      R"([{"field":"started_at","direction":"asc"},{"field":"id","direction":"asc"}])"};
  return bodyOf({range.project, queryFor(range, cursor), order, limit});
}

std::string countRequest(const ExportRange& range) {
  return bodyOf({range.project, queryFor(range, std::nullopt)});
}

Result<std::int64_t> countIn(std::string response) {
  const auto parsed = json::Document::parse(std::move(response));
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document != nullptr && document->root().isObject()) {
    const std::optional<json::Node> count = document->root().find("count");
    if (count && count->kind() == json::Kind::kInteger && count->integer())
      return *count->integer();
  }
  return invalidResponse("the server's response does not contain the number of calls");
}

void PageLineCounter::add(std::string_view bytes) {
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    open_.append(bytes, 0, end);
    bytes.remove_prefix(end + 1);
    std::swap(last_, open_);
    open_.clear();
    ++count_;
  }
  open_.append(bytes);
}

Result<Cursor> PageLineCounter::cursor() const {
  if (!open_.empty()) return invalidResponse("the server's response ends within a line");
  const auto parsed = json::Document::parse(last_, kMaxJsonDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document != nullptr && document->root().isObject()) {
    const std::optional<json::Node> id = document->root().find("id");
    const std::optional<json::Node> started_at = document->root().find("started_at");
    if (id && id->isString() && started_at && started_at->isString()) {
      const ParsedTimestamp time = parseTimestamp(started_at->text());
      if (time) return Cursor{*time.value, id->text()};
    }
  }
  return invalidResponse("the server's response contains a line that is not a call");
}

}  // namespace spindle::transfer
