#include "engine/engine_api.h"

#include <utility>

#include "base/crypto.h"
#include "base/id.h"
#include "engine/chat_answer.h"
#include "engine/chat_plan.h"
#include "engine/chat_request_api.h"
#include "http/body_stream.h"
#include "http/endpoint.h"
#include "http/sse.h"
#include "schema/scalar.h"

namespace spindle::engine {
namespace {

using http::Context;
using http::Endpoint;
using http::Method;
using http::Nothing;
using http::Parameters;
using http::Reply;
using http::RoutePolicy;
using schema::integer;
using schema::list;
using schema::Record;
using schema::string;

// A client that reads slower than this fills up is one that has stopped reading.
constexpr std::size_t kUnreadBytes = 8UL << 20;

RoutePolicy policy() {
  RoutePolicy open;
  open.credentials = http::Credentials::kOpen;
  open.errors = http::ErrorShape::kOpenAi;
  return open;
}

/// Events into the body of an answer.
class BodyEvents final : public EventOut {
 public:
  explicit BodyEvents(std::shared_ptr<http::PushedBody> body) : body_(std::move(body)) {}

  void send(const std::string& data) override {
    if (!body_->tryPush(http::formatEvent(data))) {
      stuck_ = true;
      body_->fail();
    }
  }
  void finish() override {
    if (!stuck_) body_->finish();
  }
  bool isWanted() const override { return !stuck_ && !body_->cancelled(); }

 private:
  const std::shared_ptr<http::PushedBody> body_;
  std::atomic<bool> stuck_{false};
};

std::uint64_t freshSeed() {
  std::uint64_t seed = 0;
  randomBytes(reinterpret_cast<std::uint8_t*>(&seed), sizeof(seed));
  return seed;
}

struct ModelEntry {
  std::string id = {};
  std::string object = "model";
  std::int64_t created = 0;
  std::string owned_by = "system";
  std::string root = {};
};
struct ModelList {
  std::string object = "list";
  std::vector<ModelEntry> data;
};

schema::Codec<ModelList> modelListCodec() {
  const auto entry = Record<ModelEntry>("Model")
                         .required("id", &ModelEntry::id, string(), "What requests name.")
                         .required("object", &ModelEntry::object, string(), "`model`")
                         .required("created", &ModelEntry::created, integer(), "Unix time.")
                         .required("owned_by", &ModelEntry::owned_by, string(), "Whose.")
                         .required("root", &ModelEntry::root, string(), "Of what it is made.")
                         .codec();
  return Record<ModelList>("ModelList")
      .required("object", &ModelList::object, string(), "`list`")
      .required("data", &ModelList::data, list(entry), "The models.")
      .codec();
}

class Completions {
 public:
  explicit Completions(const EngineParts& parts) : parts_(parts) {}

  Result<Reply<Nothing>> operator()(const Context& /*context*/,
                                    const Nothing& /*none*/,
                                    ChatRequest request) const {
    Result<ChatPlan> plan = planChat(parts_.model, parts_.chat_template, request,
                                     parts_.scheduler.options().context, freshSeed());
    if (!plan) return std::move(plan).error();
    if (request.model != parts_.name) plan->generation.adapter = request.model;
    plan->generation.deadline = std::chrono::steady_clock::now() + parts_.longest;
    AnswerFrame frame = frameOf(request, *std::move(plan));
    return request.stream ? stream(request, std::move(frame)) : whole(std::move(frame));
  }

 private:
  AnswerFrame frameOf(const ChatRequest& request, ChatPlan plan) const {
    const Timestamp now = parts_.clock.now();
    AnswerFrame frame;
    frame.head = {newPrefixedId("chatcmpl-", now), microsOf(now) / 1'000'000, request.model};
    frame.view.logprobs = plan.shows_logprobs;
    frame.view.ids = request.return_token_ids;
    frame.view.as_ids = request.return_tokens_as_token_ids;
    frame.view.bytes_of = [&model = parts_.model](Token token) {
      return model.bytesOf(token, true);
    };
    frame.shows_prompt_ids = request.return_token_ids;
    frame.shows_reasoning = request.include_reasoning.value_or(true);
    frame.new_call_id = [&clock = parts_.clock] { return newPrefixedId("call_", clock.now()); };
    frame.plan = std::move(plan);
    return frame;
  }

  /// Hands all answers of a completion in. @return the error of the first that is refused
  template <class Answer>
  Result<void> submit(Answer& answer,
                      const GenerationRequest& generation,
                      std::int64_t answers) const {
    for (std::int64_t i = 0; i < answers; ++i) {
      GenerationRequest one = generation;
      one.sampling.seed += static_cast<std::uint64_t>(i);
      Result<void> submitted = parts_.scheduler.submit(std::move(one), answer.sink(i));
      if (!submitted) return named(std::move(submitted).error());
    }
    return {};
  }

  static Error named(Error error) {
    if (error.code() != ErrorCode::kNotFound) return error;
    return Error::notFound("The model does not exist, or is not loaded here.")
        .because("model_not_found");
  }

  Result<Reply<Nothing>> whole(AnswerFrame frame) const {
    const GenerationRequest generation = frame.plan.generation;
    const std::int64_t answers = frame.plan.answers;
    const auto answer = std::make_shared<WholeAnswer>(std::move(frame));
    if (Result<void> submitted = submit(*answer, generation, answers); !submitted) {
      answer->abandon();
      return std::move(submitted).error();
    }
    Result<std::string> completion = answer->wait();
    if (!completion) return std::move(completion).error();
    auto body = std::make_shared<http::PushedBody>(completion->size() + 1);
    body->tryPush(*completion);
    body->finish();
    Reply<Nothing> reply{Nothing{}};
    reply.stream = body;
    reply.headers.set("Content-Type", "application/json");
    return reply;
  }

  Result<Reply<Nothing>> stream(const ChatRequest& request, AnswerFrame frame) const {
    const GenerationRequest generation = frame.plan.generation;
    const std::int64_t answers = frame.plan.answers;
    StreamedAnswer::Usage usage;
    if (request.stream_options) {
      usage.at_end = request.stream_options->include_usage;
      usage.always = usage.at_end && request.stream_options->continuous_usage_stats;
    }
    auto body = std::make_shared<http::PushedBody>(kUnreadBytes);
    const auto answer = std::make_shared<StreamedAnswer>(std::move(frame), usage,
                                                         std::make_shared<BodyEvents>(body));
    if (Result<void> submitted = submit(*answer, generation, answers); !submitted) {
      body->cancel();
      return std::move(submitted).error();
    }
    Reply<Nothing> reply{Nothing{}};
    reply.stream = body;
    reply.headers.set("Content-Type", "text/event-stream; charset=utf-8");
    reply.headers.set("Cache-Control", "no-cache, no-transform");
    return reply;
  }

  const EngineParts parts_;
};

struct AdapterPath {
  std::string name;
};
struct AdapterFile {
  std::string file;
};

Parameters<AdapterPath> adapterPath() {
  return Parameters<AdapterPath>().path("name", &AdapterPath::name, string({.min_length = 1}),
                                        "What requests name as their model.");
}

void addAdapterRoutes(http::Router& router, const EngineParts& parts) {
  router.add(Endpoint<AdapterPath, AdapterFile, Nothing>{
      .method = Method::kPut,
      .path = "/adapters/{name}",
      .operation_id = "load_adapter",
      .summary = "Load a LoRA adapter from a GGUF file.",
      .success_status = 204,
      .policy = policy(),
      .params = adapterPath(),
      .body = Record<AdapterFile>("AdapterFile", schema::Extra::kForbid)
                  .required("file", &AdapterFile::file, string({.min_length = 1}), "Its path.")
                  .codec(),
      .handler = [parts](const Context&, const AdapterPath& path,
                         const AdapterFile& body) -> Result<Reply<Nothing>> {
        Result<std::shared_ptr<Adapter>> adapter = Adapter::load(parts.model, body.file);
        if (!adapter) return std::move(adapter).error();
        parts.scheduler.addAdapter(path.name, *std::move(adapter));
        return Reply<Nothing>{Nothing{}};
      }});
  router.add(Endpoint<AdapterPath, Nothing, Nothing>{
      .method = Method::kDelete,
      .path = "/adapters/{name}",
      .operation_id = "drop_adapter",
      .summary = "Drop an adapter; answers that use it are finished.",
      .success_status = 204,
      .policy = policy(),
      .params = adapterPath(),
      .handler = [parts](const Context&, const AdapterPath& path,
                         const Nothing&) -> Result<Reply<Nothing>> {
        if (Result<void> removed = parts.scheduler.removeAdapter(path.name); !removed)
          return std::move(removed).error();
        return Reply<Nothing>{Nothing{}};
      }});
}

}  // namespace

void addEngineRoutes(http::Router& router, const EngineParts& parts) {
  router.add(Endpoint<Nothing, Nothing, ModelList>{
      .path = "/v1/models",
      .operation_id = "list_models",
      .summary = "The model that is loaded.",
      .policy = policy(),
      .reply = modelListCodec(),
      .handler = [name = parts.name](const Context&, const Nothing&,
                                     const Nothing&) -> Result<Reply<ModelList>> {
        ModelList all;
        all.data.push_back({.id = name, .root = name});
        return Reply<ModelList>{std::move(all)};
      }});
  for (const std::string_view path : {"/v1/chat/completions", "/v1/chat/completions/"}) {
    router.add(Endpoint<Nothing, ChatRequest, Nothing>{
        .method = Method::kPost,
        .path = path,
        .operation_id = path.ends_with('/') ? "chat_completion_slash" : "chat_completion",
        .summary = "Go on with a conversation.",
        .policy = policy(),
        .body = chatRequestCodec(),
        .handler = Completions(parts)});
  }
  addAdapterRoutes(router, parts);
}

}  // namespace spindle::engine
