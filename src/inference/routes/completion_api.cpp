#include "inference/routes/completion_api.h"

#include <utility>

#include "http/router/error_body.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "inference/gateway/gateway.h"
#include "inference/routes/inference_tag.h"

namespace spindle::inference {
namespace {

using http::Context;
using http::Response;

constexpr std::string_view kDefaultProject = "inference";

struct RouteText {
  Operation operation;
  std::string_view path;
  std::string_view operation_id;
  std::string_view summary;
};

Error wrongAccount() {
  return {
      ErrorCode::kUnauthenticated,
      "Authentication failed: the header Compat-Project names no project that you may write to."};
}

/// Finds the project that the usage counts for. @return kUnauthenticated if the principal may not
/// write to the project or the project does not exist.
Result<GatewayCaller> callerOf(const CompletionServices& services, const Context& context) {
  const http::Headers& headers = context.request.headers;
  std::string name(headers.get("Compat-Project"));
  if (name.empty()) name = headers.get("OpenAI-Project");
  if (name.empty()) {
    const std::optional<std::string> team = TRY(services.default_team(context.caller()));
    if (!team) return wrongAccount();
    name = *team + "/" + std::string(kDefaultProject);
  }
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return wrongAccount();
  const Result<identity::ProjectAccess> access = services.access.writeProject(
      context.caller().user_id, std::string_view(name).substr(0, slash),
      std::string_view(name).substr(slash + 1));
  if (!access && access.error().code() == ErrorCode::kUnavailable) return access.error();
  if (!access) return wrongAccount();
  return GatewayCaller{.user_id = context.caller().user_id,
                       .key_id = context.caller().key_id,
                       .team_id = access->team_id,
                       .project_id = access->project_id,
                       .project = std::move(name),
                       .request_id = context.request.request_id,
                       .traceparent = std::string(headers.get("traceparent"))};
}

Response complete(const CompletionServices& services, Operation operation, const Context& context) {
  Result<GatewayCaller> caller = callerOf(services, context);
  if (!caller) return http::errorResponse(caller.error(), http::ErrorShape::kOpenAi);
  Result<Response> answer =
      services.gateway.complete(operation, std::move(context.request.body), *std::move(caller));
  if (!answer) return http::errorResponse(answer.error(), http::ErrorShape::kOpenAi);
  return *std::move(answer);
}

void describeEvents(json::Writer& out, schema::Components& /*components*/) {
  out.key("type").string("string");
  out.key("description").string("With `stream`: chunks as server-sent events, then `[DONE]`.");
}

void describeProjectHeader(json::Writer& out, schema::Components& /*components*/) {
  out.raw(R"({"name":"Compat-Project","in":"header","required":false,"schema":{"type":"string"},)"
          R"("description":"The project (`team/project`) that the usage counts for."})");
}

}  // namespace

void addCompletionRoutes(const CompletionRoutes& routes) {
  constexpr RouteText kRoutes[] = {
      {Operation::kChat, "/v1/chat/completions", "create_chat_completion",
       "Create a chat completion."},
      {Operation::kChat, "/v1/chat/completions/", "create_chat_completion_slash",
       "Create a chat completion."},
      {Operation::kCompletion, "/v1/completions", "create_completion", "Create a text completion."},
      {Operation::kEmbedding, "/v1/embeddings", "create_embedding", "Create embeddings."},
  };
  for (const RouteText& text : kRoutes) {
    http::Route route;
    route.method = http::Method::kPost;
    route.path = text.path;
    route.operation_id = text.operation_id;
    route.summary = text.summary;
    route.description =
        "Compatible with OpenAI's API. Parameters that are not listed are forwarded to the engine "
        "or upstream. The usage counts for the project in the header `Compat-Project: "
        "team/project`.";
    route.tag = kInferenceTag;
    route.policy = routes.policy();
    route.policy.try_on_io_thread = true;
    const schema::Codec<CompletionBody> codec = routes.services().gateway.codec(text.operation);
    route.describe_body = [codec](json::Writer& out, schema::Components& components) {
      codec.type()->describe(out, components);
    };
    route.describe_reply = [](json::Writer& out, schema::Components& /*components*/) {
      out.key("type").string("object");
    };
    if (text.operation != Operation::kEmbedding) {
      route.other_reply_types = {{"text/event-stream", describeEvents}};
    }
    // 402 for exhausted budgets; 502 and 504 for errors of upstreams and engines.
    route.facts.statuses = {402, 502, 504};
    route.describe_parameters = describeProjectHeader;
    route.run = [services = routes.services(), operation = text.operation](const Context& context) {
      return complete(services, operation, context);
    };
    routes.router().addRoute(std::move(route));
  }
}

}  // namespace spindle::inference
