#include "agents/api/otlp_api.h"

#include <utility>

#include "http/router/error_body.h"
#include "http/router/route_group.h"
#include "otlp/decode.h"

namespace spindle::agents {
namespace {

using http::Context;
using http::Response;

constexpr std::string_view kProtobuf = "application/x-protobuf";
constexpr std::string_view kProtobufAlias = "application/protobuf";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kProjectHeader = "project_id";
/// Most proxies drop headers with underscores.
constexpr std::string_view kProjectHeaderForProxies = "project-id";

/// Returns the media type without its parameters.
std::string_view essence(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return type;
}

/// Returns true for a JSON body and false for Protocol Buffers.
Result<bool> isJson(const http::Request& request) {
  const std::string_view type = essence(request.headers.get("Content-Type"));
  if (http::equalIgnoringCase(type, kJson)) return true;
  if (http::equalIgnoringCase(type, kProtobuf) || http::equalIgnoringCase(type, kProtobufAlias)) {
    return false;
  }
  return Error(ErrorCode::kUnsupportedMediaType,
               "Content-Type must be application/x-protobuf or application/json.");
}

Result<Response> ingestRequest(const OtlpServices& services,
                               const Context& context,
                               OtlpTarget target) {
  const bool json = TRY(isJson(context.request));
  otlp::ExportRequest request = TRY(json ? otlp::decodeJson(std::move(context.request.body))
                                         : otlp::decodeProtobuf(std::move(context.request.body)));
  std::string_view project = context.request.headers.get(kProjectHeader);
  if (project.empty()) project = context.request.headers.get(kProjectHeaderForProxies);
  const otlp::Rejections taken = TRY(ingestExport(
      services, {context.caller().user_id, context.spelling(), project, target}, request));
  Response response(200);
  response.headers.add("Content-Type", json ? kJson : kProtobuf);
  response.body = json ? otlp::jsonResponse(taken) : otlp::protobufResponse(taken);
  return response;
}

/// Describes a message in Protocol Buffers.
http::Description binary(std::string_view message) {
  return [message](json::Writer& out, schema::Components& /*components*/) {
    out.key("type").string("string").key("format").string("binary");
    out.key("description").string(message);
  };
}

void describeJsonRequest(json::Writer& out, schema::Components& /*components*/) {
  out.key("type").string("object");
  out.key("description").string("ExportTraceServiceRequest in the JSON encoding of OTLP.");
}

void describeJsonReply(json::Writer& out, schema::Components& /*components*/) {
  out.key("type").string("object");
  out.key("properties").beginObject().key("partialSuccess").beginObject();
  out.key("type").string("object").endObject().endObject();
  out.key("description").string("ExportTraceServiceResponse, for a request in JSON.");
}

void describeProjectHeader(json::Writer& out, schema::Components& /*components*/) {
  out.raw(R"({"name":"project_id","in":"header","required":false,"schema":{"type":"string"},)"
          R"("description":"`entity/project` for spans whose resource names none. Also accepted: )"
          R"(project-id."})");
}

struct OtlpRoute {
  std::string_view path;
  std::string_view operation_id;
  std::string_view summary;
  std::string_view description;
  OtlpTarget target;
};

http::Route routeOf(const OtlpRoute& described,
                    const OtlpServices& services,
                    const http::RoutePolicy& policy) {
  http::Route route;
  route.method = http::Method::kPost;
  route.path = described.path;
  route.operation_id = described.operation_id;
  route.summary = described.summary;
  route.description = described.description;
  route.tag = "otlp";
  route.policy = policy;
  route.policy.credentials = http::Credentials::kBasicBearerOrHeader;
  route.body_type = kProtobuf;
  route.describe_body = binary("opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest.");
  route.other_body_types = {{std::string(kProtobufAlias), route.describe_body},
                            {std::string(kJson), describeJsonRequest}};
  route.reply_type = kProtobuf;
  route.describe_reply = binary("ExportTraceServiceResponse, for a request in Protocol Buffers.");
  route.other_reply_types = {{std::string(kJson), describeJsonReply}};
  route.describe_parameters = describeProjectHeader;
  route.run = [services, target = described.target,
               shape = policy.errors](const Context& context) -> Response {
    Result<Response> response = ingestRequest(services, context, target);
    return response ? *std::move(response) : http::errorResponse(response.error(), shape);
  };
  return route;
}

constexpr std::string_view kRouting =
    " The resource attributes svcp.entity and svcp.project name the project, else the header "
    "project_id.";

}  // namespace

void addOtlpRoutes(const OtlpRoutes& routes) {
  const std::string calls = "Spans become calls." + std::string(kRouting);
  const std::string rows = "Spans become agent spans." + std::string(kRouting);
  const std::string both =
      "The standard OTLP path: spans become calls and agent spans." + std::string(kRouting);
  routes.router().addRoute(routeOf(
      {"/otel/v1/traces", "exportCalls", "Ingest spans as calls.", calls, OtlpTarget::kCalls},
      routes.services(), routes.policy()));
  routes.router().addRoute(routeOf({"/agents/otel/v1/traces", "exportAgentSpans",
                                    "Ingest spans as agent spans.", rows, OtlpTarget::kRows},
                                   routes.services(), routes.policy()));
  routes.router().addRoute(
      routeOf({"/v1/traces", "exportTraces", "Ingest spans.", both, OtlpTarget::kBoth},
              routes.services(), routes.policy()));
}

}  // namespace spindle::agents
