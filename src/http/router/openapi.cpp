#include "http/router/openapi.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/lookup.h"
#include "http/router/documented_statuses.h"
#include "http/router/path_pattern.h"

namespace spindle::http {
namespace {

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

/// The names of error formats in the names of components.
constexpr auto kFamilies =
    std::to_array<LookupEntry<ErrorShape>>({{ErrorShape::kReason, "Reason"},
                                            {ErrorShape::kDetail, "Detail"},
                                            {ErrorShape::kDetailWithCode, "Coded"},
                                            {ErrorShape::kOpenAi, "OpenAi"}});

constexpr auto kStatuses = std::to_array<LookupEntry<int>>({
    {200, "Success."},
    {201, "Created."},
    {202, "Accepted."},
    {204, "Done, no content."},
    {206, "The requested range of the content."},
    {302, "Found at the URL in Location."},
    {304, "Not modified since the ETag in If-None-Match."},
    {400, "The request violates a domain rule, or its body cannot be decoded."},
    {401, "No valid credential."},
    {402, "A budget is exhausted."},
    {403, "The caller lacks the permission."},
    {404, "Not found, or hidden from the caller."},
    {408, "The body arrived too slowly."},
    {409, "The request conflicts with the current state."},
    {410, "Gone."},
    {412, "The resource has changed: If-Match names another version."},
    {413, "The body, or the data that results from it, is too large."},
    {415, "The media type or the content coding is not supported."},
    {416, "The requested range is outside the content."},
    {422, "The request violates its schema, or names something that the server cannot process."},
    {429, "Too many requests. Retry-After contains the seconds to wait."},
    {500, "Internal error."},
    {502, "A dependency of the server failed or sent invalid data."},
    {503, "Temporarily unavailable. Retry-After contains the seconds to wait."},
    {504, "A dependency of the server did not respond in time."},
    {507, "The disk of the server is full."},
});

std::string familyOf(ErrorShape shape) { return std::string(lookUp(kFamilies, shape, "Detail")); }

std::string_view descriptionOf(int status) {
  return lookUp(kStatuses, status, "See the HTTP semantics of this status.");
}

bool hasErrorBody(int status) { return status >= 400 && status != 416; }

std::string errorComponent(int status, ErrorShape shape) {
  return familyOf(shape) + std::to_string(status);
}

std::string errorSchema(ErrorShape shape) {
  return "#/components/schemas/" + familyOf(shape) + "Error";
}

void writeReference(json::Writer& out, std::string_view target) {
  out.beginObject().key("$ref").string(target).endObject();
}

/// Describes an error body; error_body.cpp writes the body.
void describeError(json::Writer& out, int status, ErrorShape shape) {
  // A 401 has `detail` instead of `reason`.
  const bool edge = shape == ErrorShape::kReason && status == 401;
  const std::string error = errorSchema(edge ? ErrorShape::kDetail : shape);
  const bool may_list = status == 422 && shape != ErrorShape::kOpenAi;
  if (!may_list) {
    out.key("$ref").string(error);
    return;
  }
  writeReference(out.key("anyOf").beginArray(), "#/components/schemas/HTTPValidationError");
  writeReference(out, error);
  out.endArray();
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

/// Writes the members of an error response with a JSON body.
void writeErrorResponse(json::Writer& out,
                        schema::Components& components,
                        int status,
                        const Description& describe) {
  out.key("description").string(descriptionOf(status));
  writeErrorHeaders(out, status);
  writeContent(out, components, "application/json", describe, {});
}

using ErrorComponents = std::map<std::string, std::pair<int, ErrorShape>>;

void writeErrorComponents(json::Writer& out,
                          schema::Components& components,
                          const ErrorComponents& errors) {
  for (const auto& [name, error] : errors) {
    const auto [status, shape] = error;
    out.key(name).beginObject();
    writeErrorResponse(
        out, components, status,
        [status = status, shape = shape](json::Writer& body, schema::Components& /*components*/) {
          describeError(body, status, shape);
        });
    out.endObject();
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

void writeSuccess(json::Writer& out,
                  schema::Components& components,
                  const Route& route,
                  int status) {
  out.key("description").string(descriptionOf(status));
  writeSuccessHeaders(out, route, status);
  const bool has_content = status < 300 && status != 204;
  if (!has_content || !route.describe_reply) return;
  writeContent(out, components, route.reply_type, route.describe_reply, route.other_reply_types);
}

bool carriesReply(const Route& route, int status) {
  const std::vector<int>& statuses = route.facts.reply_statuses;
  return std::find(statuses.begin(), statuses.end(), status) != statuses.end();
}

/// Describes an error status with two possible bodies: that of the handler and that of the server.
Description replyOrError(const Route& route) {
  return [&route](json::Writer& out, schema::Components& components) {
    out.key("anyOf").beginArray().beginObject();
    route.describe_reply(out, components);
    writeReference(out.endObject(), errorSchema(route.policy.errors));
    out.endArray();
  };
}

void writeResponses(json::Writer& out,
                    schema::Components& components,
                    ErrorComponents& errors,
                    const Route& route) {
  out.key("responses").beginObject();
  for (const int status : documentedStatuses(route)) {
    out.key(std::to_string(status));
    const bool has_reply = carriesReply(route, status);
    if (!has_reply && hasErrorBody(status)) {
      const std::string name = errorComponent(status, route.policy.errors);
      errors.emplace(name, std::pair(status, route.policy.errors));
      writeReference(out, "#/components/responses/" + name);
      continue;
    }
    out.beginObject();
    if (has_reply) {
      writeErrorResponse(out, components, status, replyOrError(route));
    } else {
      writeSuccess(out, components, route, status);
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
  const bool header = credentials == Credentials::kBasicBearerOrHeader;
  const bool optional = credentials == Credentials::kOptional;
  const bool basic = header || optional || credentials == Credentials::kBasicOrBearer;
  const auto accept = [&out](std::string_view scheme) {
    out.beginObject().key(scheme).beginArray().endArray().endObject();
  };
  out.key("security").beginArray();
  if (credentials != Credentials::kOpen) accept("bearer");
  if (basic) accept("basic");
  if (header) accept("header");
  if (credentials != Credentials::kOpen) accept("session");
  if (optional) out.beginObject().endObject();
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

/// A named component whose JSON is fixed.
struct FixedComponent {
  std::string_view name;
  std::string_view json;
};

constexpr auto kErrorSchemas = std::to_array<FixedComponent>({
    {"HTTPValidationError",
     R"({"type":"object","title":"HTTPValidationError","properties":{"detail":{"type":"array",)"
     R"("items":{"$ref":"#/components/schemas/ValidationError"}}},"required":["detail"]})"},
    {"ValidationError",
     R"({"type":"object","title":"ValidationError","properties":{"loc":{"type":"array","items":)"
     R"({"anyOf":[{"type":"string"},{"type":"integer"}]}},"msg":{"type":"string"},"type":)"
     R"({"type":"string"},"input":{},"ctx":{"type":"object"}},"required":["loc","msg","type"]})"},
    {"CodedError",
     R"({"type":"object","title":"CodedError","properties":{"detail":{"type":"string"},)"
     R"("code":{"type":"string"}},"required":["detail","code"]})"},
    {"DetailError",
     R"({"type":"object","title":"DetailError","properties":{"detail":{"type":"string"}},)"
     R"("required":["detail"]})"},
    {"OpenAiError",
     R"({"type":"object","title":"OpenAiError","properties":{"error":{"type":"object",)"
     R"("properties":{"message":{"type":"string"},"type":{"type":"string"},)"
     R"("param":{"type":["string","null"]},"code":{"type":["string","integer","null"]}},)"
     R"("required":["message"]},"detail":{"type":"array",)"
     R"("items":{"$ref":"#/components/schemas/ValidationError"}}},"required":["error"]})"},
    {"ReasonError",
     R"({"type":"object","title":"ReasonError","properties":{"reason":{"type":"string"}},)"
     R"("required":["reason"]})"},
});
constexpr auto kSecuritySchemes = std::to_array<FixedComponent>({
    {"basic", R"({"type":"http","scheme":"basic"})"},
    {"bearer", R"({"type":"http","scheme":"bearer"})"},
    {"header", R"({"type":"apiKey","in":"header","name":"svcp-api-key"})"},
    {"session",
     R"({"type":"apiKey","in":"cookie","name":"spindle","description":"Cookie of POST )"
     R"(/api/v1/session, named __Host-spindle or __Secure-spindle over HTTPS. Only for pages of )"
     R"(this server. Methods other than GET and HEAD also need the session's CSRF token in )"
     R"(X-CSRF-Token."})"},
});

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
  for (const auto& [name, json] : kErrorSchemas) out.key(name).raw(json);
  out.endObject().key("responses").beginObject();
  writeErrorComponents(out, components, errors);
  out.endObject().key("securitySchemes").beginObject();
  for (const auto& [name, json] : kSecuritySchemes) out.key(name).raw(json);
  out.endObject().endObject().endObject();
  return text;
}

}  // namespace spindle::http
