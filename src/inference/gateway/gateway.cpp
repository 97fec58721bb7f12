#include "inference/gateway/gateway.h"

#include <algorithm>
#include <utility>

#include "inference/catalogue/model_access.h"
#include "inference/gateway/trace_setting_repository.h"
#include "schema/parse.h"

namespace spindle::inference {
namespace {

Error noModel(const std::string& name) {
  return Error::notFound("The model `" + name + "` does not exist.").because("model_not_found");
}

}  // namespace

/// The model of a request: a model of the catalogue and, for an artifact name, its adapter.
struct Gateway::Chosen {
  std::shared_ptr<const Model> base;
  std::shared_ptr<const AdapterFile> adapter;
  std::shared_ptr<const PeftAdapter> peft;
  bool trained = false;  ///< true for a checkpoint of a model that this server trains
};

Gateway::Gateway(GatewayServices services, std::size_t json_depth)
    : services_(std::move(services)),
      json_depth_(json_depth),
      codecs_{completionCodec(Operation::kChat), completionCodec(Operation::kCompletion),
              completionCodec(Operation::kEmbedding)} {}

Result<http::Response> Gateway::complete(Operation operation,
                                         std::string text,
                                         GatewayCaller caller) {
  if (caller.user_id.empty()) return Error::unauthenticated();
  RelayRequest request;
  request.began = std::chrono::steady_clock::now();
  request.started_at = services_.relay.clock.now();
  const CompletionBody body = TRY(schema::parse(codec(operation), text, "body", json_depth_));
  if (body.stream_options && !body.streams()) {
    return Error::invalidArgument("stream_options requires stream.");
  }
  request.directory = isArtifactName(body.model) ? services_.models.current()
                                                 : services_.models.currentFor(body.model);
  Chosen chosen = TRY(choose(caller, *request.directory, operation, body.model));
  TRY(services_.relay.recorder.admit());
  RequestText as_sent = TRY(RequestText::of(std::move(text)));
  const bool traced = TRY(services_.tracing.isTraced(caller.project_id));
  request.text = std::move(as_sent);
  request.base = std::move(chosen.base);
  request.adapter = std::move(chosen.adapter);
  request.peft = std::move(chosen.peft);
  // The answers of a model in training are samples for its next training steps.
  request.returns_token_ids = chosen.trained && operation == Operation::kChat;
  request.operation = operation;
  static_cast<GatewayCaller&>(request) = std::move(caller);
  request.model = body.model;
  request.stream = body.streams();
  request.wants_usage = body.wantsUsage();
  request.traced = traced;
  TRY(admit(body, request));
  return relay(services_.relay, std::move(request));
}

bool Gateway::serves(std::string_view model) const {
  return isArtifactName(model) || services_.models.currentFor(model)->find(model) != nullptr;
}

Result<Gateway::Chosen> Gateway::choose(const GatewayCaller& caller,
                                        const CatalogueSnapshot& directory,
                                        Operation operation,
                                        const std::string& name) const {
  Chosen chosen;
  std::string base = name;
  if (isArtifactName(name)) {
    if (services_.adapters == nullptr) return noModel(name);
    ResolvedAdapter resolved = TRY(services_.adapters->resolve(caller.user_id, name));
    base = std::move(resolved.base_model);
    chosen.adapter = std::move(resolved.adapter);
    chosen.peft = std::move(resolved.peft);
    chosen.trained = resolved.trained;
  }
  chosen.base = directory.find(base);
  if (chosen.base == nullptr) return noModel(name);
  if (!TRY(services_.model_access.mayUse(caller.user_id, *chosen.base))) return noModel(name);
  const std::vector<Ability>& can = chosen.base->abilities;
  if (std::find(can.begin(), can.end(), abilityFor(operation)) == can.end()) {
    return Error::invalidArgument("The model `" + name + "` does not serve " +
                                  std::string(textOf(abilityFor(operation))) + ".");
  }
  return chosen;
}

/// Reserves the maximum usage of the request if a limit applies.
Result<void> Gateway::admit(const CompletionBody& body, RelayRequest& request) const {
  const std::shared_ptr<const pricing::ProjectPrices> prices = TRY(services_.prices());
  const pricing::Price* price = prices->choose(request.model, request.started_at);
  if (price != nullptr) request.prices = price->tokens;
  const std::shared_ptr<const Limits> limits = services_.limits.current();
  const UsageLimit* of_key = limits->ofKey(request.key_id);
  const UsageLimit* of_project = limits->ofProject(request.project_id);
  if (of_key == nullptr && of_project == nullptr) return {};
  request.reserved = reservationFor(sizeOf(request.operation, body, request.text.text()),
                                    *request.base, request.prices);
  const bool has_budget = (of_key != nullptr && of_key->budget_usd) ||
                          (of_project != nullptr && of_project->budget_usd);
  if (!has_budget) request.reserved.set_max_tokens.reset();
  UsageLimiter::Admission admission =
      TRY(services_.limiter.admit({.of_key = of_key,
                                   .of_project = of_project,
                                   .tokens = request.reserved.tokens,
                                   .cost = request.reserved.cost}));
  request.admission = std::move(admission);
  return {};
}

}  // namespace spindle::inference
