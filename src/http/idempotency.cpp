#include "http/idempotency.h"

#include <algorithm>

namespace spindle::http {
namespace {

constexpr std::size_t kLongestKey = 255;

bool isUsableKey(std::string_view key) {
  return !key.empty() && key.size() <= kLongestKey &&
         std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

Violation headerViolation(std::string type, std::string msg) {
  Violation violation;
  violation.type = std::move(type);
  violation.loc = {LocStep("header"), LocStep("Idempotency-Key")};
  violation.msg = std::move(msg);
  return violation;
}

Response replayed(const StoredAnswer& answer) {
  Response response(answer.status);
  if (!answer.content_type.empty()) response.headers.add("Content-Type", answer.content_type);
  if (!answer.etag.empty()) response.headers.add("ETag", answer.etag);
  if (!answer.location.empty()) response.headers.add("Location", answer.location);
  response.headers.add("Idempotency-Replayed", "true");
  response.body = answer.body;
  return response;
}

StoredAnswer kept(const Response& response) {
  StoredAnswer answer;
  answer.status = response.status;
  answer.content_type = response.headers.get("Content-Type");
  answer.etag = response.headers.get("ETag");
  answer.location = response.headers.get("Location");
  answer.body = response.body;
  return answer;
}

}  // namespace

Response runIdempotently(IdempotencyStore& store, const Request& request, ErrorShape shape,
                         const std::function<Response()>& work) {
  IdempotencyClaim claim;
  claim.key = request.headers.get("Idempotency-Key");
  if (!isUsableKey(claim.key)) {
    return errorResponse(
        Error::invalid({headerViolation("value_error",
                                        "Value error, 1 to 255 visible ASCII characters expected")}),
        shape);
  }
  claim.user_id = request.principal->user_id;
  claim.operation = std::string(nameOf(request.method)) + " " + std::string(request.path());
  claim.digest = sha256(request.body);

  Result<IdempotencyStore::Outcome> outcome = store.begin(claim);
  if (!outcome) return errorResponse(outcome.error(), shape);
  if (const auto* answer = std::get_if<StoredAnswer>(&*outcome)) return replayed(*answer);
  if (std::holds_alternative<IdempotencyStore::InProgress>(*outcome)) {
    return errorResponse(
        Error::conflict("The first request with this Idempotency-Key is still running.")
            .because("idempotency_in_progress"),
        shape);
  }
  if (std::holds_alternative<IdempotencyStore::Reused>(*outcome)) {
    return errorResponse(
        Error::invalid({headerViolation("idempotency_key_reused",
                                        "This key was used before with another body")}),
        shape);
  }
  Response response = work();
  const bool success = response.status >= 200 && response.status < 300;
  if (success && !response.stream) {
    if (const Result<void> settled = store.settle(claim, kept(response)); !settled) {
      store.abandon(claim);
    }
  } else {
    store.abandon(claim);
  }
  return response;
}

}  // namespace spindle::http
