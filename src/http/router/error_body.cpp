#include "http/router/error_body.h"

#include <array>
#include <cstddef>

#include "http/router/log.h"
#include "json/writer.h"
#include "schema/parse.h"

namespace spindle::http {
namespace {

/// How an error code is reported to clients.
struct ErrorFacts {
  ErrorCode code;
  int status;
  std::string_view api_code;
  std::string_view openai_type;  ///< which OpenAI clients use to distinguish errors
};

/// In the order of ErrorCode.
constexpr auto kErrors = std::to_array<ErrorFacts>({
    {ErrorCode::kInvalidSchema, 422, "invalid", "invalid_request_error"},
    {ErrorCode::kInvalidArgument, 400, "invalid", "invalid_request_error"},
    {ErrorCode::kUnprocessable, 422, "invalid", "invalid_request_error"},
    {ErrorCode::kUnauthenticated, 401, "unauthenticated", "authentication_error"},
    {ErrorCode::kPermissionDenied, 403, "forbidden", "permission_error"},
    {ErrorCode::kNotFound, 404, "not_found", "not_found_error"},
    {ErrorCode::kMethodNotAllowed, 405, "method_not_allowed", "invalid_request_error"},
    {ErrorCode::kConflict, 409, "conflict", "invalid_request_error"},
    {ErrorCode::kPreconditionFailed, 412, "precondition_failed", "invalid_request_error"},
    {ErrorCode::kTooLarge, 413, "too_large", "invalid_request_error"},
    {ErrorCode::kUnsupportedMediaType, 415, "unsupported_media_type", "invalid_request_error"},
    {ErrorCode::kRateLimited, 429, "rate_limited", "rate_limit_error"},
    {ErrorCode::kQuotaExceeded, 402, "quota_exceeded", "insufficient_quota"},
    {ErrorCode::kUnavailable, 503, "unavailable", "server_error"},
    {ErrorCode::kStorageFull, 507, "storage_full", "server_error"},
    {ErrorCode::kUpstream, 502, "upstream", "server_error"},
    {ErrorCode::kTimeout, 504, "timeout", "server_error"},
    {ErrorCode::kInternal, 500, "internal", "server_error"},
});

constexpr bool containsAllCodes() {
  for (std::size_t i = 0; i < kErrors.size(); ++i) {
    if (static_cast<std::size_t>(kErrors[i].code) != i) return false;
  }
  return kErrors.back().code == ErrorCode::kInternal;
}
static_assert(containsAllCodes());

const ErrorFacts& factsOf(ErrorCode code) { return kErrors[static_cast<std::size_t>(code)]; }

/// The management API has no 400: a violated domain rule has the format of a schema violation.
Error asViolation(const Error& error) {
  Violation violation;
  violation.type = error.reason().empty() ? "value_error" : error.reason();
  violation.loc = {LocStep("body")};
  violation.msg = "Value error, " + error.message();
  violation.ctx = R"({"error":{}})";
  return Error::invalid({std::move(violation)});
}

/// Copies the members of RateLimiter::Decision::refusal() to the rate limit headers.
void addRateLimitHeaders(const Error& error, Headers& headers) {
  for (const auto& [name, json] : error.members()) {
    if (name == "limit") headers.set("RateLimit-Limit", json);
    if (name == "remaining") headers.set("RateLimit-Remaining", json);
    if (name != "retry_after_seconds") continue;
    headers.set("RateLimit-Reset", json);
    headers.set("Retry-After", json);
  }
}

void addRetryAfter(const Error& error, Headers& headers) {
  for (const auto& [name, json] : error.members()) {
    if (name == "retry_after_seconds" || name == "retry_after") headers.set("Retry-After", json);
  }
}

/// Returns a violation as text: location and message.
std::string messageOf(const Violation& violation) {
  std::string where;
  for (std::size_t i = 1; i < violation.loc.size(); ++i) {
    const auto* name = std::get_if<std::string>(&violation.loc[i]);
    where += (where.empty() ? "" : ".");
    where += name != nullptr ? *name : std::to_string(std::get<std::int64_t>(violation.loc[i]));
  }
  return where.empty() ? violation.msg : where + ": " + violation.msg;
}

void writeOpenAiError(const Error& error, json::Writer& out) {
  const bool violated = !error.violations().empty();
  std::string message = error.code() == ErrorCode::kInternal
                            ? "The server had an error while processing the request."
                            : error.message();
  if (violated) message = messageOf(error.violations().front());
  out.key("error").beginObject();
  out.key("message").string(message);
  out.key("type").string(factsOf(error.code()).openai_type);
  out.key("param");
  const auto* param = violated && error.violations().front().loc.size() > 1
                          ? std::get_if<std::string>(&error.violations().front().loc[1])
                          : nullptr;
  param != nullptr ? out.string(*param) : out.null();
  out.key("code");
  error.reason().empty() ? out.null() : out.string(error.reason());
  out.endObject();
}

std::string bodyOf(const Error& error, ErrorShape shape) {
  if (shape == ErrorShape::kOpenAi) {
    std::string text;
    json::Writer out(text);
    out.beginObject();
    if (error.code() == ErrorCode::kInvalidSchema) {
      schema::writeViolations(out.key("detail"), error.violations());
    }
    writeOpenAiError(error, out);
    out.endObject();
    return text;
  }
  if (error.code() == ErrorCode::kInvalidSchema) return schema::violationsJson(error.violations());
  const bool hidden = error.code() == ErrorCode::kInternal;
  const std::string& message = error.message();
  // A 401 has `detail` instead of `reason`.
  const bool reason = shape == ErrorShape::kReason && error.code() != ErrorCode::kUnauthenticated;
  std::string text;
  json::Writer out(text);
  out.beginObject();
  if (reason) {
    out.key("reason").string(hidden ? "Internal server error" : message);
  } else {
    out.key("detail").string(hidden ? "Internal Server Error" : message);
  }
  if (shape == ErrorShape::kDetailWithCode) {
    out.key("code").string(error.reason().empty() ? factsOf(error.code()).api_code
                                                  : error.reason());
  }
  for (const auto& [name, json] : error.members()) out.key(name).raw(json);
  out.endObject();
  return text;
}

}  // namespace

int statusOf(ErrorCode code) { return factsOf(code).status; }

Response errorResponse(const Error& error, ErrorShape shape) {
  if (shape == ErrorShape::kDetailWithCode && error.code() == ErrorCode::kInvalidArgument) {
    return errorResponse(asViolation(error), shape);
  }
  if (error.code() == ErrorCode::kInternal) {
    kLog.error("internal_error", {{"message", error.message()}});
  }
  Response response(statusOf(error.code()));
  response.headers.add("Content-Type", "application/json");
  const bool try_again =
      error.code() == ErrorCode::kUnavailable || error.code() == ErrorCode::kRateLimited;
  if (try_again) response.headers.add("Retry-After", "1");
  if (error.code() == ErrorCode::kRateLimited) addRateLimitHeaders(error, response.headers);
  if (error.code() == ErrorCode::kUnavailable) addRetryAfter(error, response.headers);
  response.body = bodyOf(error, shape);
  return response;
}

}  // namespace spindle::http
