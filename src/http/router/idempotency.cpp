#include "http/router/idempotency.h"

#include <algorithm>

#include "http/router/log.h"

namespace spindle::http {
namespace {

constexpr std::size_t kLongestKey = 255;

bool isUsableKey(std::string_view key) {
  return !key.empty() && key.size() <= kLongestKey &&
         std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

Response unusableKey(ErrorShape shape) {
  Violation violation;
  violation.type = "value_error";
  violation.loc = {LocStep("header"), LocStep("Idempotency-Key")};
  violation.msg = "Value error, 1 to 255 visible ASCII characters expected";
  violation.ctx = R"({"error":{}})";
  return errorResponse(Error::invalid({std::move(violation)}), shape);
}

/// Returns the content that identifies a request with a query: the length of the query, the query
/// and the body. Returns an empty text for a request without a query: its body is sufficient.
std::string contentOf(const Request& request) {
  const std::string_view query = request.query();
  if (query.empty()) return {};
  return std::to_string(query.size()) + ":" + std::string(query) + request.body;
}

Response replayed(const StoredResponse& answer) {
  Response response(answer.status);
  for (const auto& [name, value] : answer.headers) response.headers.add(name, value);
  response.headers.add("Idempotency-Replayed", "true");
  response.body = answer.body;
  return response;
}

StoredResponse kept(const Response& response) {
  StoredResponse answer;
  answer.status = response.status;
  answer.headers.assign(response.headers.begin(), response.headers.end());
  answer.body = response.body;
  return answer;
}

}  // namespace

Response runIdempotently(IdempotencyRecords& records,
                         const Request& request,
                         ErrorShape shape,
                         const std::function<Response()>& work) {
  const std::string_view key = request.headers.get("Idempotency-Key");
  if (!isUsableKey(key)) return unusableKey(shape);
  const std::string content = contentOf(request);
  const Result<IdempotencyRecord> entry =
      records.begin({request.principal->user_id, nameOf(request.method), request.path(), key,
                     content.empty() ? request.body : content});
  if (!entry) return errorResponse(entry.error(), shape);
  if (entry->replay) return replayed(*entry->replay);
  Response response = work();
  const bool whole = !response.stream && !response.later;
  const bool keep = response.status >= 200 && response.status < 300 && whole;
  const Result<void> noted =
      keep ? records.finish(*entry, kept(response)) : records.abandon(*entry);
  if (!noted) kLog.warning("idempotency_not_kept", {{"request_id", request.request_id}});
  return response;
}

}  // namespace spindle::http
