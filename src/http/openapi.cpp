#include "http/openapi.h"

#include <map>

#include "http/path_pattern.h"

namespace spindle::http {
namespace {

std::string lowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

void writeContent(json::Writer& out,
                  schema::Components& components,
                  std::string_view type,
                  const std::function<void(json::Writer&, schema::Components&)>& describe) {
  out.key("content").beginObject().key(type).beginObject().key("schema").beginObject();
  describe(out, components);
  out.endObject().endObject().endObject();
}

void writeSimpleResponse(json::Writer& out, std::string_view status, std::string_view text) {
  out.key(status).beginObject().key("description").string(text).endObject();
}

void writeValidationResponse(json::Writer& out) {
  out.key("422").beginObject().key("description").string("The request breaks its schema.");
  out.key("content").beginObject().key("application/json").beginObject();
  out.key("schema").beginObject().key("$ref").string("#/components/schemas/HTTPValidationError");
  out.endObject().endObject().endObject().endObject();
}

void writeResponses(json::Writer& out, schema::Components& components, const Route& route) {
  out.key("responses").beginObject();
  out.key(std::to_string(route.success_status)).beginObject();
  out.key("description").string(route.success_status == 204 ? "Done, no content." : "Success.");
  if (route.describe_reply) {
    writeContent(out, components, route.reply_type, route.describe_reply);
  }
  out.endObject();
  if (route.policy.credentials != Credentials::kOpen) {
    writeSimpleResponse(out, "401", "No valid credential.");
  }
  writeValidationResponse(out);
  out.endObject();
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

void writeOperation(json::Writer& out, schema::Components& components, const Route& route) {
  out.key(lowerCase(nameOf(route.method))).beginObject();
  out.key("operationId").string(route.operation_id).key("summary").string(route.summary);
  if (!route.description.empty()) out.key("description").string(route.description);
  if (!route.tag.empty()) out.key("tags").beginArray().string(route.tag).endArray();
  if (route.describe_parameters) {
    out.key("parameters").beginArray();
    route.describe_parameters(out, components);
    out.endArray();
  }
  if (route.describe_body) {
    out.key("requestBody").beginObject().key("required").boolean(true);
    writeContent(out, components, route.body_type, route.describe_body);
    out.endObject();
  }
  writeResponses(out, components, route);
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

}  // namespace

std::string openApiDocument(const Router& router,
                            std::string_view title,
                            std::string_view version) {
  std::map<std::string, std::vector<const Route*>> by_path;
  for (const auto& route : router.routes()) {
    if (!route->operation_id.empty()) by_path[describedPath(route->path)].push_back(route.get());
  }
  std::string text;
  json::Writer out(text);
  schema::Components components;
  out.beginObject().key("openapi").string("3.1.0");
  out.key("info").beginObject().key("title").string(title).key("version").string(version);
  out.endObject().key("paths").beginObject();
  for (const auto& [path, routes] : by_path) {
    out.key(path).beginObject();
    for (const Route* route : routes) writeOperation(out, components, *route);
    out.endObject();
  }
  out.endObject().key("components").beginObject().key("schemas").beginObject();
  components.write(out);
  out.key("HTTPValidationError").raw(kValidationErrorSchema);
  out.key("ValidationError").raw(kViolationSchema);
  out.endObject().key("securitySchemes").beginObject();
  out.key("basic").raw(R"({"type":"http","scheme":"basic"})");
  out.key("bearer").raw(R"({"type":"http","scheme":"bearer"})");
  out.key("header").raw(R"({"type":"apiKey","in":"header","name":"svcp-api-key"})");
  out.endObject().endObject().endObject();
  return text;
}

}  // namespace spindle::http
