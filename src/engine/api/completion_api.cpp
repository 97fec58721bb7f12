#include "engine/api/completion_api.h"

#include <atomic>
#include <functional>
#include <optional>
#include <utility>

#include "base/crypto/crypto.h"
#include "base/crypto/id.h"
#include "engine/api/answer.h"
#include "engine/api/chat_plan.h"
#include "engine/api/chat_request.h"
#include "engine/api/chat_response.h"
#include "engine/api/text_plan.h"
#include "engine/api/text_request.h"
#include "engine/api/text_response.h"
#include "http/message/body_stream.h"
#include "http/message/deferred_response.h"
#include "http/message/sse.h"
#include "http/message/uri.h"
#include "http/router/error_body.h"
#include "http/router/route_group.h"

namespace spindle::engine {
namespace {

using http::Context, http::Nothing, http::Reply;

// Unread bytes above which a client counts as disconnected.
constexpr std::size_t kUnreadBytes = 8UL << 20;

/// Writes events to the body of a response.
class BodyEventSink final : public EventSink {
 public:
  explicit BodyEventSink(std::shared_ptr<http::PushedBody> body) : body_(std::move(body)) {}

  void send(const std::vector<std::string>& events) override {
    std::string bytes;
    for (const std::string& event : events) bytes += http::formatEvent(event);
    if (bytes.empty() || body_->tryPush(bytes)) return;
    stuck_ = true;
    body_->fail();
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

/// The generations of one request and the functions that format the response.
struct Job {
  std::vector<GenerationRequest> requests;
  std::size_t per_prompt = 1;  ///< consecutive answers that share a prompt
  std::function<std::string(const std::vector<RawAnswer>&)> whole;
  std::function<std::unique_ptr<StreamFormatter>()> stream;
};

class Completions {
 public:
  explicit Completions(const EngineParts& parts) : parts_(parts) {}

  Result<Reply<Nothing>> chat(const Context& context, const ChatRequest& request) const {
    if (parts_.scheduler == nullptr) return cannotGenerate();
    ChatPlan plan = TRY(planChat(parts_.model, parts_.chat_template, request,
                                 parts_.scheduler->options().context, freshSeed()));
    ChatResponseFormat format;
    format.head = headOf("chatcmpl-", context, request);
    format.view = viewOf(request);
    format.view.logprobs = plan.shows_logprobs;
    format.shows_prompt_ids = request.return_token_ids;
    format.shows_reasoning = request.include_reasoning.value_or(true);
    format.new_call_id = [&clock = parts_.clock] { return newPrefixedId("call_", clock.now()); };
    format.tokens_in = [&model = parts_.model](const std::string& text) {
      return static_cast<std::int64_t>(model.tokensOf(text, true).size());
    };
    format.plan = std::move(plan);
    Job job;
    job.per_prompt = static_cast<std::size_t>(format.plan.answers);
    addAnswers(format.plan.generation, job.per_prompt, false, job);
    job.whole = [format](const std::vector<RawAnswer>& answers) {
      return chatCompletion(format, answers);
    };
    job.stream = [format] { return chatStreamFormatter(format); };
    return run(request, std::move(job));
  }

  Result<Reply<Nothing>> text(const Context& context, const TextRequest& request) const {
    if (parts_.scheduler == nullptr) return cannotGenerate();
    TextPlan plan =
        TRY(planText(parts_.model, request, parts_.scheduler->options().context, freshSeed()));
    TextResponseFormat format;
    format.head = headOf("cmpl-", context, request);
    format.view = viewOf(request);
    format.echo = request.echo;
    if (request.logprobs) format.logprobs = static_cast<std::size_t>(*request.logprobs);
    if (request.prompt_logprobs)
      format.prompt_logprobs = static_cast<std::size_t>(*request.prompt_logprobs);
    format.text_of = [&model = parts_.model, special = !request.skip_special_tokens](Token token) {
      return model.bytesOf(token, special);
    };
    format.plan = std::move(plan);
    Job job;
    job.per_prompt = format.plan.answers;
    for (const TextPlan::Prompt& prompt : format.plan.prompts)
      addAnswers(prompt.generation, job.per_prompt, request.echo, job);
    job.whole = [format](const std::vector<RawAnswer>& answers) {
      return textCompletion(format, answers);
    };
    job.stream = [format] { return textStreamFormatter(format); };
    return run(request, std::move(job));
  }

 private:
  static Error cannotGenerate() {
    return Error::invalidArgument("This is an embedding model; it does not generate text.");
  }

  CompletionHead headOf(std::string_view prefix,
                        const Context& context,
                        const GenerationOptions& options) const {
    const Timestamp now = parts_.clock.now();
    const std::string id =
        options.request_id ? std::string(prefix) + *options.request_id : newPrefixedId(prefix, now);
    // Clients of the server use another name for an adapter.
    const std::string* const shown = context.request.headers.find("X-Model-Name");
    const std::optional<std::string> name =
        shown == nullptr ? std::nullopt : http::percentDecode(*shown);
    return {id, microsOf(now) / 1'000'000, name.value_or(options.model)};
  }

  TokenView viewOf(const GenerationOptions& options) const {
    TokenView view;
    view.ids = options.return_token_ids;
    view.as_ids = options.return_tokens_as_token_ids;
    view.bytes_of = [&model = parts_.model](Token token) { return model.bytesOf(token, true); };
    return view;
  }

  /// Adds the answers to one prompt, each with its own seed. Only the first one computes the log
  /// probabilities of the prompt, unless `all_score`.
  static void addAnswers(const GenerationRequest& first,
                         std::size_t answers,
                         bool all_score,
                         Job& job) {
    for (std::size_t i = 0; i < answers; ++i) {
      GenerationRequest& one = job.requests.emplace_back(first);
      one.sampling.seed += i;
      if (i > 0 && !all_score) one.prompt_logprobs = -1;
    }
  }

  Result<Reply<Nothing>> run(const GenerationOptions& options, Job job) const {
    for (GenerationRequest& request : job.requests) {
      if (options.model != parts_.name) request.adapter = options.model;
      request.deadline = std::chrono::steady_clock::now() + parts_.longest;
    }
    return options.stream ? stream(options, std::move(job)) : whole(std::move(job));
  }

  /// Submits all answers of a completion. @return the error of the first refused one
  template <class Answer>
  Result<void> submit(Answer& answer, std::vector<GenerationRequest> requests) const {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      Result<void> submitted = parts_.scheduler->submit(std::move(requests[i]), answer.sink(i));
      if (submitted) continue;
      if (submitted.error().code() == ErrorCode::kNotFound) return modelNotFound();
      return submitted;
    }
    return {};
  }

  Result<Reply<Nothing>> whole(Job job) const {
    const auto later = std::make_shared<http::DeferredResponse>();
    const auto answer = std::make_shared<CollectedAnswers>(
        job.requests.size(),
        [later, shape = std::move(job.whole)](Result<std::vector<RawAnswer>> answers) {
          if (!answers) {
            later->complete(http::errorResponse(answers.error(), http::ErrorShape::kOpenAi));
            return;
          }
          http::Response response;
          response.headers.add("Content-Type", "application/json");
          response.body = shape(*answers);
          later->complete(std::move(response));
        });
    if (Result<void> submitted = submit(*answer, std::move(job.requests)); !submitted) {
      answer->abandon();
      return std::move(submitted).error();
    }
    // Only now: each of the two objects then owns the other until the response is complete.
    later->onDisconnect([answer] { answer->abandon(); });
    Reply<Nothing> reply{Nothing{}};
    reply.later = later;
    return reply;
  }

  Result<Reply<Nothing>> stream(const GenerationOptions& options, Job job) const {
    StreamedAnswers::Usage usage;
    if (options.stream_options) {
      usage.at_end = options.stream_options->include_usage;
      usage.always = usage.at_end && options.stream_options->continuous_usage_stats;
    }
    std::int64_t prompt_tokens = 0;
    for (std::size_t i = 0; i < job.requests.size(); i += job.per_prompt)
      prompt_tokens += static_cast<std::int64_t>(job.requests[i].prompt.size());
    auto body = std::make_shared<http::PushedBody>(kUnreadBytes);
    const auto answer =
        std::make_shared<StreamedAnswers>(job.requests.size(), job.per_prompt, prompt_tokens, usage,
                                          job.stream(), std::make_shared<BodyEventSink>(body));
    if (Result<void> submitted = submit(*answer, std::move(job.requests)); !submitted) {
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

}  // namespace

void addCompletionRoutes(http::Router& router, const EngineParts& parts) {
  const auto completions = std::make_shared<const Completions>(parts);
  const http::RouteGroup routes(router, enginePolicy(), {});
  for (const std::string_view path : {"/v1/chat/completions", "/v1/chat/completions/"}) {
    routes.post(path,
                {path.ends_with('/') ? "chat_completion_slash" : "chat_completion",
                 "Create a chat completion."},
                {.body = chatRequestCodec()},
                [completions](const Context& context, const ChatRequest& request) {
                  return completions->chat(context, request);
                });
  }
  for (const std::string_view path : {"/v1/completions", "/v1/completions/"}) {
    routes.post(
        path,
        {path.ends_with('/') ? "completion_slash" : "completion", "Create a text completion."},
        {.body = textRequestCodec()},
        [completions](const Context& context, const TextRequest& request) {
          return completions->text(context, request);
        });
  }
}

}  // namespace spindle::engine
