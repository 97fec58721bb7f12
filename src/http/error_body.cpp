#include "http/error_body.h"

#include "base/log.h"
#include "json/writer.h"
#include "schema/parse.h"

namespace spindle::http {
namespace {

constexpr Logger kLog("http");

std::string_view wordOf(ErrorCode code) {
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

/// The management API knows no 400: a broken domain rule reads like a broken rule of the schema.
Error asViolation(const Error& error) {
  Violation violation;
  violation.type = error.reason().empty() ? "value_error" : error.reason();
  violation.loc = {LocStep("body")};
  violation.msg = "Value error, " + error.message();
  violation.ctx = R"({"error":{}})";
  return Error::invalid({std::move(violation)});
}

/// What RateLimiter::Verdict::refusal() says in the body stands in the headers as well.
void describeAllowance(const Error& error, Headers& headers) {
  for (const auto& [name, json] : error.members()) {
    if (name == "limit") headers.set("RateLimit-Limit", json);
    if (name == "remaining") headers.set("RateLimit-Remaining", json);
    if (name != "retry_after_seconds") continue;
    headers.set("RateLimit-Reset", json);
    headers.set("Retry-After", json);
  }
}

std::string bodyOf(const Error& error, ErrorShape shape) {
  if (error.code() == ErrorCode::kInvalidSchema) return schema::violationsJson(error.violations());
  const bool hidden = error.code() == ErrorCode::kInternal;
  const std::string& message = error.message();
  // A missing credential is answered by the edge, in its own words, whatever the family.
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
    out.key("code").string(error.reason().empty() ? wordOf(error.code()) : error.reason());
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
  if (error.code() == ErrorCode::kRateLimited) describeAllowance(error, response.headers);
  response.body = bodyOf(error, shape);
  return response;
}

}  // namespace spindle::http
