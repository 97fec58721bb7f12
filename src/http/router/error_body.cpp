#include "http/router/error_body.h"

#include "http/router/log.h"
#include "json/writer.h"
#include "schema/parse.h"

namespace spindle::http {
namespace {

std::string_view apiCodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidSchema:
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kUnprocessable:
      return "invalid";
    case ErrorCode::kUnauthenticated:
      return "unauthenticated";
    case ErrorCode::kPermissionDenied:
      return "forbidden";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kMethodNotAllowed:
      return "method_not_allowed";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kPreconditionFailed:
      return "precondition_failed";
    case ErrorCode::kTooLarge:
      return "too_large";
    case ErrorCode::kUnsupportedMediaType:
      return "unsupported_media_type";
    case ErrorCode::kRateLimited:
      return "rate_limited";
    case ErrorCode::kQuotaExceeded:
      return "quota_exceeded";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kStorageFull:
      return "storage_full";
    case ErrorCode::kUpstream:
      return "upstream";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

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

/// Returns the error type of the OpenAI API, which its clients use to distinguish errors.
std::string_view openAiTypeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnauthenticated:
      return "authentication_error";
    case ErrorCode::kPermissionDenied:
      return "permission_error";
    case ErrorCode::kNotFound:
      return "not_found_error";
    case ErrorCode::kRateLimited:
      return "rate_limit_error";
    case ErrorCode::kQuotaExceeded:
      return "insufficient_quota";
    case ErrorCode::kUnavailable:
    case ErrorCode::kStorageFull:
    case ErrorCode::kUpstream:
    case ErrorCode::kTimeout:
    case ErrorCode::kInternal:
      return "server_error";
    default:
      return "invalid_request_error";
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
  out.key("type").string(openAiTypeOf(error.code()));
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
      const std::string listed = schema::violationsJson(error.violations());
      constexpr std::string_view kBegin = R"({"detail":)";
      out.key("detail").raw(
          std::string_view(listed).substr(kBegin.size(), listed.size() - kBegin.size() - 1));
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
    out.key("code").string(error.reason().empty() ? apiCodeOf(error.code()) : error.reason());
  }
  for (const auto& [name, json] : error.members()) out.key(name).raw(json);
  out.endObject();
  return text;
}

}  // namespace

int statusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidSchema:
    case ErrorCode::kUnprocessable:
      return 422;
    case ErrorCode::kInvalidArgument:
      return 400;
    case ErrorCode::kUnauthenticated:
      return 401;
    case ErrorCode::kQuotaExceeded:
      return 402;
    case ErrorCode::kPermissionDenied:
      return 403;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kMethodNotAllowed:
      return 405;
    case ErrorCode::kConflict:
      return 409;
    case ErrorCode::kPreconditionFailed:
      return 412;
    case ErrorCode::kTooLarge:
      return 413;
    case ErrorCode::kUnsupportedMediaType:
      return 415;
    case ErrorCode::kRateLimited:
      return 429;
    case ErrorCode::kInternal:
      return 500;
    case ErrorCode::kUpstream:
      return 502;
    case ErrorCode::kUnavailable:
      return 503;
    case ErrorCode::kTimeout:
      return 504;
    case ErrorCode::kStorageFull:
      return 507;
  }
  return 500;
}

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
