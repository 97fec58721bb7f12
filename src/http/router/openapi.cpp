#include "http/router/openapi.h"

#include <algorithm>
#include <map>
#include <utility>

#include "http/router/documented_statuses.h"
#include "http/router/path_pattern.h"

namespace spindle::http {
namespace {

std::string lowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

void writeMediaType(json::Writer& out,
                    schema::Components& components,
                    std::string_view type,
                    const Description& describe) {
  out.key(type).beginObject().key("schema").beginObject();
  describe(out, components);
  out.endObject().endObject();
}

void writeContent(json::Writer& out,
                  schema::Components& components,
                  std::string_view type,
                  const Description& describe,
                  const std::vector<MediaType>& others) {
  out.key("content").beginObject();
  writeMediaType(out, components, type, describe);
  for (const MediaType& other : others) {
    writeMediaType(out, components, other.name, other.describe);
  }
  out.endObject();
}

std::string_view familyOf(ErrorShape shape) {
  switch (shape) {
    case ErrorShape::kReason:
      return "Reason";
    case ErrorShape::kDetail:
      return "Detail";
    case ErrorShape::kDetailWithCode:
      return "Coded";
    case ErrorShape::kOpenAi:
      return "OpenAi";
  }
  return "Detail";
}

std::string_view descriptionOf(int status) {
  switch (status) {
    case 200:
      return "Success.";
    case 201:
      return "Created.";
    case 202:
      return "Accepted.";
    case 204:
      return "Done, no content.";
    case 206:
      return "The requested range of the content.";
    case 302:
      return "Found at the URL in Location.";
    case 304:
      return "Not modified since the ETag in If-None-Match.";
    case 400:
      return "The request violates a domain rule, or its body cannot be decoded.";
    case 401:
      return "No valid credential.";
    case 402:
      return "A budget is exhausted.";
    case 403:
      return "The caller lacks the permission.";
    case 404:
      return "Not found, or hidden from the caller.";
    case 408:
      return "The body arrived too slowly.";
    case 409:
      return "The request conflicts with the current state.";
    case 410:
      return "Gone.";
    case 412:
      return "The resource has changed: If-Match names another version.";
    case 413:
      return "The body, or the data that results from it, is too large.";
    case 415:
      return "The media type or the content coding is not supported.";
    case 416:
      return "The requested range is outside the content.";
    case 422:
      return "The request violates its schema, or names something that the server cannot process.";
    case 429:
      return "Too many requests. Retry-After contains the seconds to wait.";
    case 500:
      return "Internal error.";
    case 502:
      return "A dependency of the server failed or sent invalid data.";
    case 503:
      return "Temporarily unavailable. Retry-After contains the seconds to wait.";
    case 504:
      return "A dependency of the server did not respond in time.";
    case 507:
      return "The disk of the server is full.";
    default:
      return "See the HTTP semantics of this status.";
  }
}

bool hasErrorBody(int status) { return status >= 400 && status != 416; }

std::string errorComponent(int status, ErrorShape shape) {
  return std::string(familyOf(shape)) + std::to_string(status);
}

std::string errorSchema(ErrorShape shape) {
  return "#/components/schemas/" + std::string(familyOf(shape)) + "Error";
}

/// Writes the schema of an error body; error_body.cpp writes the body.
void writeErrorSchema(json::Writer& out, int status, ErrorShape shape) {
  // A 401 has `detail` instead of `reason`.
  const bool edge = shape == ErrorShape::kReason && status == 401;
  const std::string error = errorSchema(edge ? ErrorShape::kDetail : shape);
  const bool may_list = status == 422 && shape != ErrorShape::kOpenAi;
  out.key("schema").beginObject();
  if (may_list) {
    out.key("anyOf").beginArray();
    out.beginObject().key("$ref").string("#/components/schemas/HTTPValidationError").endObject();
    out.beginObject().key("$ref").string(error).endObject().endArray();
  } else {
    out.key("$ref").string(error);
  }
  out.endObject();
}

void writeHeader(json::Writer& out,
                 std::string_view name,
                 std::string_view type,
                 std::string_view text) {
  out.key(name).beginObject().key("description").string(text);
  out.key("schema").beginObject().key("type").string(type).endObject().endObject();
}

void writeErrorHeaders(json::Writer& out, int status) {
  if (status != 401 && status != 429 && status != 503) return;
  out.key("headers").beginObject();
  if (status == 401) writeHeader(out, "WWW-Authenticate", "string", "How to authenticate.");
  if (status != 401) writeHeader(out, "Retry-After", "integer", "Seconds to wait.");
  if (status == 429) {
    writeHeader(out, "RateLimit-Limit", "integer", "Requests per minute.");
    writeHeader(out, "RateLimit-Remaining", "integer", "Remaining requests.");
    writeHeader(out, "RateLimit-Reset", "integer", "Seconds until the full limit is available.");
  }
  out.endObject();
}

using ErrorComponents = std::map<std::string, std::pair<int, ErrorShape>>;

void writeErrorComponents(json::Writer& out, const ErrorComponents& errors) {
  for (const auto& [name, error] : errors) {
    const auto [status, shape] = error;
    out.key(name).beginObject().key("description").string(descriptionOf(status));
    writeErrorHeaders(out, status);
    out.key("content").beginObject().key("application/json").beginObject();
    writeErrorSchema(out, status, shape);
    out.endObject().endObject().endObject();
  }
}

void writeSuccessHeaders(json::Writer& out, const Route& route, int status) {
  const bool etag = (route.facts.etag || route.facts.content) && status != 204;
  if (!etag && status != 302) return;
  out.key("headers").beginObject();
  if (etag) writeHeader(out, "ETag", "string", "The version of the resource, for If-Match.");
  if (status == 302) writeHeader(out, "Location", "string", "The URL to read.");
  out.endObject();
}

bool carriesReply(const Route& route, int status) {
  const std::vector<int>& statuses = route.facts.reply_statuses;
  return std::find(statuses.begin(), statuses.end(), status) != statuses.end();
}

/// Writes an error status with two possible bodies: that of the handler and that of the server.
void writeReplyOrError(json::Writer& out,
                       schema::Components& components,
                       const Route& route,
                       int status) {
  out.key("description").string(descriptionOf(status));
  writeErrorHeaders(out, status);
  out.key("content").beginObject().key("application/json").beginObject();
  out.key("schema").beginObject().key("anyOf").beginArray().beginObject();
  route.describe_reply(out, components);
  out.endObject().beginObject();
  out.key("$ref").string(errorSchema(route.policy.errors)).endObject().endArray().endObject();
  out.endObject().endObject();
}

void writeResponses(json::Writer& out,
                    schema::Components& components,
                    ErrorComponents& errors,
                    const Route& route) {
  out.key("responses").beginObject();
  for (const int status : documentedStatuses(route)) {
    out.key(std::to_string(status)).beginObject();
    if (carriesReply(route, status)) {
      writeReplyOrError(out, components, route, status);
      out.endObject();
      continue;
    }
    if (hasErrorBody(status)) {
      const std::string name = errorComponent(status, route.policy.errors);
      errors.emplace(name, std::pair(status, route.policy.errors));
      out.key("$ref").string("#/components/responses/" + name).endObject();
      continue;
    }
    out.key("description").string(descriptionOf(status));
    writeSuccessHeaders(out, route, status);
    const bool has_content = status < 300 && status != 204;
    if (has_content && route.describe_reply) {
      writeContent(out, components, route.reply_type, route.describe_reply,
                   route.other_reply_types);
    }
    out.endObject();
  }
  out.endObject();
}

constexpr std::string_view kIfMatch =
    R"({"name":"If-Match","in":"header","required":false,"description":"Change the resource only )"
    R"(while it has this ETag; otherwise 412.","schema":{"type":"string"}})";
constexpr std::string_view kIdempotencyKey =
    R"({"name":"Idempotency-Key","in":"header","required":false,"description":"A key that the )"
    R"(client chooses for this request. A repeated request with the same key within 24 hours returns )"
    R"(the first response.",)"
    R"("schema":{"type":"string","minLength":1,"maxLength":255,"pattern":"^[!-~]+$"}})";

void writeParameters(json::Writer& out, schema::Components& components, const Route& route) {
  const bool idempotent = route.policy.idempotent_posts && route.method == Method::kPost;
  if (!route.describe_parameters && !route.facts.if_match && !idempotent) return;
  out.key("parameters").beginArray();
  if (route.describe_parameters) route.describe_parameters(out, components);
  if (route.facts.if_match) out.raw(kIfMatch);
  if (idempotent) out.raw(kIdempotencyKey);
  out.endArray();
}

void writeSecurity(json::Writer& out, Credentials credentials) {
  out.key("security").beginArray();
  if (credentials != Credentials::kOpen) {
    out.beginObject().key("bearer").beginArray().endArray().endObject();
  }
  if (credentials == Credentials::kBasicOrBearer ||
      credentials == Credentials::kBasicBearerOrHeader) {
    out.beginObject().key("basic").beginArray().endArray().endObject();
  }
  if (credentials == Credentials::kBasicBearerOrHeader) {
    out.beginObject().key("header").beginArray().endArray().endObject();
  }
  out.endArray();
}

void writeOperation(json::Writer& out,
                    schema::Components& components,
                    ErrorComponents& errors,
                    const Route& route) {
  out.key(lowerCase(nameOf(route.method))).beginObject();
  out.key("operationId").string(route.operation_id).key("summary").string(route.summary);
  if (!route.description.empty()) out.key("description").string(route.description);
  if (!route.tag.empty()) out.key("tags").beginArray().string(route.tag).endArray();
  writeParameters(out, components, route);
  if (route.describe_body) {
    out.key("requestBody").beginObject().key("required").boolean(route.body_required);
    writeContent(out, components, route.body_type, route.describe_body, route.other_body_types);
    out.endObject();
  }
  writeResponses(out, components, errors, route);
  writeSecurity(out, route.policy.credentials);
  out.endObject();
}

constexpr std::string_view kValidationErrorSchema =
    R"({"type":"object","title":"HTTPValidationError","properties":{"detail":{"type":"array",)"
    R"("items":{"$ref":"#/components/schemas/ValidationError"}}},"required":["detail"]})";
constexpr std::string_view kViolationSchema =
    R"({"type":"object","title":"ValidationError","properties":{"loc":{"type":"array","items":)"
    R"({"anyOf":[{"type":"string"},{"type":"integer"}]}},"msg":{"type":"string"},"type":)"
    R"({"type":"string"},"input":{},"ctx":{"type":"object"}},"required":["loc","msg","type"]})";
constexpr std::string_view kReasonSchema =
    R"({"type":"object","title":"ReasonError","properties":{"reason":{"type":"string"}},)"
    R"("required":["reason"]})";
constexpr std::string_view kDetailSchema =
    R"({"type":"object","title":"DetailError","properties":{"detail":{"type":"string"}},)"
    R"("required":["detail"]})";
constexpr std::string_view kCodedSchema =
    R"({"type":"object","title":"CodedError","properties":{"detail":{"type":"string"},)"
    R"("code":{"type":"string"}},"required":["detail","code"]})";
constexpr std::string_view kOpenAiSchema =
    R"({"type":"object","title":"OpenAiError","properties":{"error":{"type":"object",)"
    R"("properties":{"message":{"type":"string"},"type":{"type":"string"},)"
    R"("param":{"type":["string","null"]},"code":{"type":["string","integer","null"]}},)"
    R"("required":["message"]},"detail":{"type":"array",)"
    R"("items":{"$ref":"#/components/schemas/ValidationError"}}},"required":["error"]})";

constexpr std::string_view kConventions =
    "Rules that apply to all operations. "
    "Values are converted if the conversion is lossless: \"10\", 10.0 and true are valid integers; "
    "\"1.5\" and true are valid numbers; 0, 1 and the words true, false, yes, no, on and off are "
    "valid booleans; a date, an ISO 8601 text without a zone (UTC) and Unix seconds or "
    "milliseconds "
    "are valid date-times. "
    "A string must not contain U+0000 (422). JSON may have at most 200 levels (422), unless the "
    "server is configured otherwise. A cursor is opaque: only a `next_cursor` of the same list is "
    "valid. "
    "A request with an invalid head gets 400, 408, 414, 417, 431 or 501, independent of the "
    "operation. An unsupported method gets 405 with an Allow header.";

}  // namespace

std::string openApiDocument(const Router& router,
                            std::string_view title,
                            std::string_view version) {
  std::map<std::string, std::vector<const Route*>> by_path;
  for (const auto& route : router.routes()) {
    if (!route->operation_id.empty()) by_path[openApiPath(route->path)].push_back(route.get());
  }
  std::string text;
  json::Writer out(text);
  schema::Components components;
  ErrorComponents errors;
  out.beginObject().key("openapi").string("3.1.0");
  out.key("info").beginObject().key("title").string(title).key("version").string(version);
  out.key("description").string(kConventions);
  out.endObject().key("paths").beginObject();
  for (const auto& [path, routes] : by_path) {
    out.key(path).beginObject();
    for (const Route* route : routes) writeOperation(out, components, errors, *route);
    out.endObject();
  }
  out.endObject().key("components").beginObject().key("schemas").beginObject();
  components.write(out);
  out.key("HTTPValidationError").raw(kValidationErrorSchema);
  out.key("ValidationError").raw(kViolationSchema);
  out.key("CodedError").raw(kCodedSchema);
  out.key("DetailError").raw(kDetailSchema);
  out.key("OpenAiError").raw(kOpenAiSchema);
  out.key("ReasonError").raw(kReasonSchema);
  out.endObject().key("responses").beginObject();
  writeErrorComponents(out, errors);
  out.endObject().key("securitySchemes").beginObject();
  out.key("basic").raw(R"({"type":"http","scheme":"basic"})");
  out.key("bearer").raw(R"({"type":"http","scheme":"bearer"})");
  out.key("header").raw(R"({"type":"apiKey","in":"header","name":"svcp-api-key"})");
  out.endObject().endObject().endObject();
  return text;
}

}  // namespace spindle::http
