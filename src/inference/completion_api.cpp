#include "inference/completion_api.h"

#include <algorithm>
#include <utility>

#include "http/error_body.h"
#include "http/router.h"
#include "identity/access.h"
#include "inference/completion_body_api.h"
#include "schema/parse.h"

namespace spindle::inference {
namespace {

using http::Context;
using http::ErrorShape;
using http::Response;

constexpr std::string_view kTag = "inference";
constexpr std::string_view kDefaultProject = "inference";

struct RouteText {
  Operation operation;
  std::string_view path;
  std::string_view operation_id;
  std::string_view summary;
};

/// Whom a request counts for.
struct Account {
  std::string name;  ///< entity/project
  std::string team_id;
  std::string project_id;
};

Error wrongAccount() {
  return {ErrorCode::kUnauthenticated,
          "Authentication failed: the header Compat-Project names no team and project of yours."};
}

/// The model a request is for: of the catalogue, and for an artifact what is on top of it.
struct Chosen {
  std::shared_ptr<const Model> base;
  std::shared_ptr<const AdapterFile> adapter;
};

class CompletionHandler {
 public:
  CompletionHandler(const CompletionServices& services, Operation operation, std::size_t json_depth)
      : services_(services),
        operation_(operation),
        codec_(completionCodec(operation)),
        json_depth_(json_depth) {}

  Response operator()(const Context& context) const {
    Result<Response> answer = handle(context);
    return answer ? *std::move(answer) : http::errorResponse(answer.error(), ErrorShape::kOpenAi);
  }

  const schema::Codec<CompletionBody>& codec() const { return codec_; }

 private:
  Result<Response> handle(const Context& context) const {
    RelayRequest request;
    request.began = std::chrono::steady_clock::now();
    request.started_at = services_.relay.clock.now();
    Result<CompletionBody> body = schema::parse(codec_, context.request.body, "body", json_depth_);
    if (!body) return std::move(body).error();
    if (body->stream_options && !body->streams()) {
      return Error::invalidArgument("stream_options is of use with stream alone.");
    }
    Result<Account> account = accountOf(context);
    if (!account) return std::move(account).error();
    request.directory = services_.models.current();
    Result<Chosen> chosen = choose(context, *request.directory, *account, body->model);
    if (!chosen) return std::move(chosen).error();
    if (!services_.relay.recorder.hasRoom()) {
      return Error::unavailable("The server is overloaded, try again later.");
    }
    Result<RequestText> text = RequestText::of(std::move(context.request.body));
    if (!text) return std::move(text).error();
    request.text = *std::move(text);
    request.base = std::move(chosen->base);
    request.adapter = std::move(chosen->adapter);
    request.operation = operation_;
    request.request_id = context.request.request_id;
    request.user_id = context.caller().user_id;
    request.key_id = context.caller().key_id;
    request.team_id = std::move(account->team_id);
    request.project_id = std::move(account->project_id);
    request.project = std::move(account->name);
    request.model = body->model;
    request.stream = body->streams();
    request.wants_usage = body->wantsUsage();
    request.traced = services_.is_traced(request.project_id);
    request.traceparent = context.request.headers.get("traceparent");
    Result<void> admitted = admit(*body, request);
    if (!admitted) return std::move(admitted).error();
    return relay(services_.relay, std::move(request));
  }

  /// @return kUnauthenticated for a project that the caller cannot write to, whether it is there or
  /// not.
  Result<Account> accountOf(const Context& context) const {
    const http::Headers& headers = context.request.headers;
    std::string name(headers.get("Compat-Project"));
    if (name.empty()) name = headers.get("OpenAI-Project");
    if (name.empty()) {
      const Result<std::optional<std::string>> team = services_.default_team(context.caller());
      if (!team) return team.error();
      if (!*team) return wrongAccount();
      name = **team + "/" + std::string(kDefaultProject);
    }
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) return wrongAccount();
    const Result<identity::ProjectAccess> access = services_.access.writeProject(
        context.caller().user_id, std::string_view(name).substr(0, slash),
        std::string_view(name).substr(slash + 1));
    if (!access && access.error().code() == ErrorCode::kUnavailable) return access.error();
    if (!access) return wrongAccount();
    return Account{std::move(name), access->team_id, access->project_id};
  }

  Result<Chosen> choose(const Context& context,
                        const Directory& directory,
                        const Account& account,
                        const std::string& name) const {
    Chosen chosen;
    std::string base = name;
    if (isArtifactName(name)) {
      Result<ResolvedAdapter> resolved = services_.adapters.resolve(context.caller().user_id, name);
      if (!resolved) return std::move(resolved).error();
      base = std::move(resolved->base_model);
      chosen.adapter = std::move(resolved->adapter);
    }
    chosen.base = directory.find(base);
    const bool is_open =
        chosen.base && (chosen.base->teams.empty() ||
                        std::find(chosen.base->teams.begin(), chosen.base->teams.end(),
                                  account.team_id) != chosen.base->teams.end());
    if (!is_open)
      return Error::notFound("The model `" + name + "` does not exist.").because("model_not_found");
    const std::vector<Ability>& can = chosen.base->abilities;
    if (std::find(can.begin(), can.end(), abilityFor(operation_)) == can.end()) {
      return Error::invalidArgument("The model `" + name + "` does not serve " +
                                    std::string(textOf(abilityFor(operation_))) + ".");
    }
    return chosen;
  }

  /// Reserves what the request may use, where anything is limited.
  Result<void> admit(const CompletionBody& body, RelayRequest& request) const {
    const Result<std::shared_ptr<const pricing::ProjectPrices>> prices =
        services_.prices(request.project_id);
    if (!prices) return prices.error();
    const pricing::Price* price = (*prices)->choose(request.model, request.started_at);
    if (price != nullptr) request.prices = price->tokens;
    const AppliedLimits limits = services_.limits_of(request.key_id, request.project_id);
    if (!limits.of_key && !limits.of_project) return {};
    request.reserved = reservationFor(sizeOf(operation_, body, request.text.text()), *request.base,
                                      request.prices);
    const auto has_budget = [](const std::shared_ptr<const UsageLimit>& limit) {
      return limit && limit->budget_usd;
    };
    if (!has_budget(limits.of_key) && !has_budget(limits.of_project)) {
      request.reserved.set_max_tokens.reset();
    }
    Result<LimitKeeper::Admission> admission =
        services_.limits.admit({.of_key = limits.of_key.get(),
                                .of_project = limits.of_project.get(),
                                .tokens = request.reserved.tokens,
                                .cost = request.reserved.cost});
    if (!admission) return std::move(admission).error();
    request.admission = *std::move(admission);
    return {};
  }

  const CompletionServices services_;
  const Operation operation_;
  const schema::Codec<CompletionBody> codec_;
  const std::size_t json_depth_;
};

}  // namespace

void addCompletionRoutes(http::Router& router,
                         const CompletionServices& services,
                         const http::RoutePolicy& policy) {
  constexpr RouteText kRoutes[] = {
      {Operation::kChat, "/v1/chat/completions", "create_chat_completion",
       "Answer a conversation."},
      {Operation::kChat, "/v1/chat/completions/", "create_chat_completion_slash",
       "Answer a conversation."},
      {Operation::kCompletion, "/v1/completions", "create_completion", "Go on with a text."},
      {Operation::kEmbedding, "/v1/embeddings", "create_embedding", "Texts as vectors."},
  };
  for (const RouteText& text : kRoutes) {
    const auto handler =
        std::make_shared<CompletionHandler>(services, text.operation, policy.json_depth);
    http::Route route;
    route.method = http::Method::kPost;
    route.path = text.path;
    route.operation_id = text.operation_id;
    route.summary = text.summary;
    route.description =
        "As OpenAI's API has it. Parameters that are not listed go on to whoever serves the "
        "model. `Compat-Project: team/project` says whom the usage counts for.";
    route.tag = kTag;
    route.policy = policy;
    route.describe_body = [handler](json::Writer& out, schema::Components& components) {
      handler->codec().type()->describe(out, components);
    };
    route.describe_reply = [](json::Writer& out, schema::Components& /*components*/) {
      out.key("type").string("object");
    };
    route.run = [handler](const Context& context) { return (*handler)(context); };
    router.addRoute(std::move(route));
  }
}

}  // namespace spindle::inference
