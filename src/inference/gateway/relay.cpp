#include "inference/gateway/relay.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/core/mutex.h"
#include "base/crypto/id.h"
#include "base/crypto/secret_filter.h"
#include "http/client/client.h"
#include "http/client/local_clients.h"
#include "http/message/body_stream.h"
#include "http/message/deferred_response.h"
#include "http/message/uri.h"
#include "http/router/error_body.h"
#include "inference/adapters/adapter_resolver.h"
#include "inference/gateway/event_stream_filter.h"
#include "inference/gateway/replica_failure.h"
#include "inference/gateway/response_summary.h"

namespace spindle::inference {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::string_view kEngine = "engine";
constexpr std::size_t kStreamBuffer = 64UL * 1024;
constexpr std::size_t kMostAnswer = 64UL * 1024 * 1024;
constexpr std::size_t kMostRefusal = 64UL * 1024;
constexpr milliseconds kWholeAnswer = std::chrono::minutes(10);
constexpr int kClientClosedRequest = 499;
constexpr int kResponseIncomplete =
    502;  ///< recorded instead of the status in the head of the response

/// One forwarded request. Between start() and its end, only the running callback accesses it;
/// callbacks run one after the other. The client session shares only the members that `mutex_`
/// guards.
class Relay final : public std::enable_shared_from_this<Relay> {
 public:
  Relay(const RelayPorts& ports, RelayRequest request)
      : ports_(ports),
        request_(std::move(request)),
        later_(std::make_shared<http::DeferredResponse>()) {}

  http::Response start() {
    collectStages(request_.base);
    for (const std::string& name : request_.base->fallbacks) {
      const std::shared_ptr<const Model> model = request_.directory->find(name);
      // An adapter fits its base model only.
      if (model && !usesAdapter()) collectStages(model);
    }
    http::Response promise;
    promise.later = later_;
    later_->onDisconnect([self = shared_from_this()] { self->clientDisconnected(); });
    proceed();
    return promise;
  }

 private:
  /// One tier of a model: the replicas among which the balancer chooses.
  struct Stage {
    std::shared_ptr<const Model> model;
    std::vector<const Target*> targets;
    std::vector<Candidate> candidates;
    std::vector<std::size_t> tried = {};
  };

  /// The request to one replica.
  struct Attempt {
    std::optional<Balancer::OutstandingRequest> outstanding_request;
    std::shared_ptr<EngineLease> lease;  ///< only for an engine
    /// Only for an adapter in an upstream.
    std::shared_ptr<UpstreamAdapterLease> upstream_lease;
    bool reloaded = false;  ///< the upstream did not know the adapter, which was loaded again
    const Target* target = nullptr;
    std::string upstream;
    int status = 0;
    http::Response head;
    bool streams = false;
    std::string body;                      ///< of a response that is not streamed
    const SecretFilter* filter = nullptr;  ///< removes the upstream's key; null: it has no key
    SecretFilter::Stream stream_filter = {};
  };

  void collectStages(const std::shared_ptr<const Model>& model) {
    std::vector<const Target*> targets;
    for (const Target& target : model->targets) {
      const bool is_known =
          target.upstream_id.empty() || request_.directory->upstreams.count(target.upstream_id) > 0;
      if (is_known && serves(target)) targets.push_back(&target);
    }
    std::stable_sort(targets.begin(), targets.end(),
                     [](const Target* a, const Target* b) { return a->tier < b->tier; });
    for (const Target* target : targets) {
      if (stages_.empty() || stages_.back().model != model ||
          stages_.back().targets.front()->tier != target->tier) {
        stages_.push_back({model, {}, {}});
      }
      Stage& stage = stages_.back();
      stage.targets.push_back(target);
      stage.candidates.push_back(
          target->upstream_id.empty()
              ? Candidate{kEngine, model->name}
              : Candidate{target->upstream_id, upstreamOf(*target).upstream.url});
    }
  }

  const ReachableUpstream& upstreamOf(const Target& target) const { return *reachable(target); }
  const std::shared_ptr<const ReachableUpstream>& reachable(const Target& target) const {
    return request_.directory->upstreams.find(target.upstream_id)->second;
  }

  bool usesAdapter() const { return request_.adapter || request_.peft; }

  /// Returns true if the target serves the adapter of the request, or if there is none.
  bool serves(const Target& target) const {
    if (!usesAdapter()) return true;
    if (target.upstream_id.empty()) return request_.adapter != nullptr;
    return request_.peft && upstreamOf(target).upstream.adapters.loading != AdapterLoading::kNone;
  }

  /// Sends the request to the next replica, or gives up.
  void proceed() {
    for (const auto among : {Balancer::ReplicaFilter::kHealthy, Balancer::ReplicaFilter::kAll}) {
      for (Stage& stage : stages_) {
        std::optional<Balancer::OutstandingRequest> outstanding_request =
            ports_.balancer.choose(stage.candidates, stage.tried, among);
        if (!outstanding_request) continue;
        const std::size_t index = outstanding_request->index();
        stage.tried.push_back(index);
        ++attempts_;
        attempt_ = Attempt();
        attempt_.outstanding_request = std::move(outstanding_request);
        ask(stage, *stage.targets[index]);
        return;
      }
    }
    giveUp();
  }

  void ask(const Stage& stage, const Target& target) {
    if (target.upstream_id.empty()) return acquireEngine(stage.model);
    attempt_.upstream = upstreamOf(target).upstream.name;
    attempt_.target = &target;
    if (usesAdapter()) return acquireUpstreamAdapter();
    sendToUpstream(target.model.empty() ? stage.model->name : target.model, false);
  }

  void acquireUpstreamAdapter() {
    ports_.upstream_adapters.acquire(
        reachable(*attempt_.target), request_.peft,
        [self = shared_from_this()](Result<std::shared_ptr<UpstreamAdapterLease>> lease) {
          self->upstreamAdapterIsReady(std::move(lease));
        });
  }

  void upstreamAdapterIsReady(Result<std::shared_ptr<UpstreamAdapterLease>> lease) {
    if (isGone()) return finish(kClientClosedRequest, "The client disconnected.");
    if (!lease) return skipReplica(std::move(lease).error());
    attempt_.upstream_lease = *std::move(lease);
    sendToUpstream(attempt_.upstream_lease->model(), request_.returns_token_ids);
  }

  /// Tries the next replica, without an effect on the state of this one.
  void skipReplica(Error error) {
    failure_ = std::move(error);
    attempt_.outstanding_request->abandoned();
    proceed();
  }

  void sendToUpstream(const std::string& model, bool returns_token_ids) {
    const ReachableUpstream& to = upstreamOf(*attempt_.target);
    http::ClientRequest request;
    request.url = to.upstream.url + std::string(pathOf(request_.operation));
    request.body = bodyFor(model, to.upstream.stream_usage, returns_token_ids);
    request.connect_timeout = to.upstream.timeouts.connect;
    request.timeout = request_.stream ? to.upstream.timeouts.first_token : kWholeAnswer;
    request.stream_first_timeout = to.upstream.timeouts.first_token;
    request.stream_idle_timeout = to.upstream.timeouts.idle;
    if (!to.key.empty()) {
      request.headers.add("Authorization", "Bearer " + std::string(to.key.reveal()));
      attempt_.filter = &to.filter;
      attempt_.stream_filter = SecretFilter::Stream(to.filter);
    }
    send(std::move(request));
  }

  void acquireEngine(const std::shared_ptr<const Model>& model) {
    attempt_.upstream = kEngine;
    ports_.engines.acquire(model, request_.adapter,
                           [self = shared_from_this()](Result<std::shared_ptr<EngineLease>> lease) {
                             self->engineIsReady(std::move(lease));
                           });
  }

  void engineIsReady(Result<std::shared_ptr<EngineLease>> lease) {
    if (isGone()) return finish(kClientClosedRequest, "The client disconnected.");
    if (!lease) return skipReplica(std::move(lease).error());
    attempt_.lease = *std::move(lease);
    http::ClientRequest request;
    request.url = attempt_.lease->url() + std::string(pathOf(request_.operation));
    request.body = bodyFor(attempt_.lease->model(), true, request_.returns_token_ids);
    // The response contains the artifact name that the client requested.
    if (isArtifactName(request_.model)) {
      request.headers.add("X-Model-Name", http::percentEncode(request_.model));
    }
    request.timeout = kWholeAnswer;
    request.stream_first_timeout = kWholeAnswer;
    request.stream_idle_timeout = kWholeAnswer;
    send(std::move(request));
  }

  std::string bodyFor(std::string_view model, bool knows_usage, bool returns_token_ids) const {
    RequestEdits edits{.model = model};
    edits.include_usage = request_.stream && !request_.wants_usage && knows_usage &&
                          request_.operation != Operation::kEmbedding;
    edits.tokens = returns_token_ids;
    edits.limit = request_.reserved.set_max_tokens;
    edits.limit_name =
        request_.operation == Operation::kChat ? "max_completion_tokens" : "max_tokens";
    return request_.text.with(edits);
  }

  void send(http::ClientRequest request) {
    request.method = http::Method::kPost;
    request.headers.add("Content-Type", "application/json");
    request.headers.add("Accept-Encoding", "identity");
    request.headers.add("X-Request-Id", request_.request_id);
    if (!request_.traceparent.empty()) request.headers.add("traceparent", request_.traceparent);
    http::StreamHandler handler;
    const std::shared_ptr<Relay> self = shared_from_this();
    handler.on_head = [self](const http::Response& head) { self->onHead(head); };
    handler.on_bytes = [self](std::string_view bytes) { return self->onBytes(bytes); };
    handler.on_end = [self](const Result<void>& outcome) { self->onEnd(outcome); };
    bool gone = false;
    {
      // cut() must wait for this lock, because callbacks may run before stream() returns.
      const MutexLock lock(mutex_);
      gone = gone_;
      if (!gone)
        exchange_ = ports_.clients.current().stream(std::move(request), std::move(handler));
    }
    if (gone) finish(kClientClosedRequest, "The client disconnected.");
  }

  void onHead(const http::Response& head) {
    attempt_.status = head.status;
    attempt_.head = head;
    const std::string_view type = head.headers.get("Content-Type");
    attempt_.streams = isGood(head.status) && type.starts_with("text/event-stream");
  }

  bool onBytes(std::string_view bytes) {
    if (!attempt_.streams) {
      const std::size_t most = isGood(attempt_.status) ? kMostAnswer : kMostRefusal;
      const std::size_t room = most - std::min(most, attempt_.body.size());
      attempt_.body.append(bytes.substr(0, std::min(room + 1, bytes.size())));
      if (attempt_.body.size() > most) cut();
      return true;
    }
    if (!body_ && !beginStream()) return true;
    if (attempt_.filter == nullptr) return pass(event_filter_.feed(bytes));
    return pass(event_filter_.feed(attempt_.stream_filter.feed(bytes)));
  }

  /// Starts the response to the client. After its first byte no other replica can be tried.
  /// @return false if the client has disconnected.
  bool beginStream() {
    first_byte_ = steady_clock::now();
    event_filter_ = EventStreamFilter(
        {.hide_usage = request_.stream && !request_.wants_usage, .keep_all = request_.traced});
    body_ = std::make_shared<http::PushedBody>(kStreamBuffer);
    body_->onSpace([self = shared_from_this()] { self->spaceOrGone(); });
    http::Response answer;
    answer.headers.add("Content-Type",
                       filtered(std::string(attempt_.head.headers.get("Content-Type"))));
    answer.headers.add("Cache-Control", "no-cache");
    answer.stream = body_;
    if (later_->complete(std::move(answer))) return true;
    clientDisconnected();
    return false;
  }

  /// Removes the upstream's key from a text that the upstream sent.
  std::string filtered(std::string text) const {
    return attempt_.filter == nullptr ? text : attempt_.filter->apply(std::move(text));
  }

  /// Passes bytes to the client session. @return false if its buffer is full.
  bool pass(std::string bytes) {
    if (bytes.empty()) return true;
    const MutexLock lock(mutex_);
    if (gone_ || body_->tryPush(bytes)) return true;
    held_ = std::move(bytes);
    return false;
  }

  /// Runs on a thread of the session when its buffer has space again or the client disconnected.
  void spaceOrGone() {
    if (body_->cancelled()) return clientDisconnected();
    std::shared_ptr<http::ClientExchange> exchange;
    {
      const MutexLock lock(mutex_);
      if (held_.empty() || !body_->tryPush(held_)) return;
      held_.clear();
      exchange = exchange_;
    }
    if (exchange) exchange->resume();
  }

  void clientDisconnected() {
    {
      const MutexLock lock(mutex_);
      gone_ = true;
    }
    cut();
  }

  void cut() {
    std::shared_ptr<http::ClientExchange> exchange;
    {
      const MutexLock lock(mutex_);
      exchange = exchange_;
    }
    if (exchange) exchange->cancel();
  }

  bool isGone() {
    const MutexLock lock(mutex_);
    return gone_;
  }

  void onEnd(const Result<void>& outcome) {
    {
      const MutexLock lock(mutex_);
      exchange_.reset();
    }
    if (!outcome && attempt_.lease && !isGone()) attempt_.lease->connectionBroken();
    if (isGone()) {
      attempt_.outstanding_request->abandoned();
      return finish(kClientClosedRequest, "The client disconnected.");
    }
    if (body_) return endStream(outcome);
    if (!outcome) {
      // onBytes() cut a response that exceeded its size limit.
      const bool too_large = attempt_.body.size() > kMostRefusal;
      if (!isGood(attempt_.status) && attempt_.status != 0 && too_large) return evaluateResponse();
      return retryAfterFailure(kindOf(outcome.error()), unreachableError(outcome.error()));
    }
    evaluateResponse();
  }

  static Error unreachableError(const Error& error) {
    const bool late = error.code() == ErrorCode::kTimeout;
    return Error::unavailable(late ? "The model did not respond in time, try again later."
                                   : "The model cannot be reached at the moment, try again later.");
  }

  void retryAfterFailure(FailureKind kind, Error error) {
    attempt_.outstanding_request->failed(kind);
    failure_ = std::move(error);
    proceed();
  }

  /// Evaluates a complete response: returns it to the client or tries another replica.
  void evaluateResponse() {
    const int status = attempt_.status;
    attempt_.body = filtered(std::move(attempt_.body));
    const ResponseSummary facts = summarizeResponse(attempt_.body);
    if (status == 429) {
      attempt_.outstanding_request->rateLimited(retryAfter(attempt_.head));
      const auto wait = retryAfter(attempt_.head).value_or(std::chrono::seconds(1));
      failure_ = Error(ErrorCode::kRateLimited, "The model is at its limit, try again later.")
                     .with("retry_after_seconds", std::to_string(wait.count() / 1000));
      return proceed();
    }
    if (isReplicaFailure(status)) {
      std::string what = "The upstream responded with " + std::to_string(status);
      if (!facts.message.empty() && status >= 500) what += ": " + facts.message;
      return retryAfterFailure(FailureKind::kStatus, Error::unavailable(what + "."));
    }
    if (status == 404 && attempt_.upstream_lease && !attempt_.reloaded) return reloadAdapter();
    if (isGood(status) && (!facts.is_object || facts.is_error)) {
      return retryAfterFailure(FailureKind::kBroken,
                               Error::unavailable("The upstream sent an invalid response."));
    }
    attempt_.outstanding_request->succeeded();
    first_byte_ = steady_clock::now();
    http::Response answer(status);
    if (!facts.is_object) {
      answer = http::errorResponse(Error::invalidArgument("The upstream rejected the request (" +
                                                          std::to_string(status) + ")."),
                                   http::ErrorShape::kOpenAi);
      answer.status = status;
    } else {
      answer.headers.add("Content-Type", "application/json");
      answer.body = attempt_.body;
    }
    finishWith(std::move(answer), isGood(status) ? std::string() : facts.message, facts.usage);
  }

  /// Sends a complete response to the client when its usage is in the journal.
  void finishWith(http::Response answer,
                  std::string failure,
                  std::optional<TokenUsage> tokens = {}) {
    const int status = answer.status;
    const auto held = std::make_shared<http::Response>(std::move(answer));
    finish(status, std::move(failure), tokens,
           [later = later_, held] { later->complete(std::move(*held)); });
  }

  /// Repeats the request at the same upstream, which was restarted and does not know the adapter.
  void reloadAdapter() {
    attempt_.upstream_lease->lost();
    attempt_.upstream_lease.reset();
    attempt_.reloaded = true;
    attempt_.status = 0;
    attempt_.body.clear();
    acquireUpstreamAdapter();
  }

  void endStream(const Result<void>& outcome) {
    std::string rest = event_filter_.feed(attempt_.stream_filter.finish());
    rest += event_filter_.finish();
    std::string failure;
    // A stream that sent its last event is complete, even if the connection broke afterwards.
    const bool whole = outcome.has_value() || event_filter_.isDone();
    if (whole) {
      attempt_.outstanding_request->succeeded();
    } else {
      failure = "The response ended early.";
      attempt_.outstanding_request->failed(kindOf(outcome.error()));
      rest = errorEvent("The response ended early, try again.", "server_error");
    }
    finish(whole ? 200 : kResponseIncomplete, std::move(failure),
           usageInEvents(event_filter_.kept()),
           [self = shared_from_this(), rest = std::move(rest)] { self->releaseEnd(rest); });
  }

  /// Sends the end of the stream to the client, when the usage is in the journal. May run on the
  /// recorder's thread.
  void releaseEnd(const std::string& rest) {
    {
      const MutexLock lock(mutex_);
      const bool push = !rest.empty() && !gone_;
      // Append to the bytes that the session had no space for.
      if (push && (!held_.empty() || !body_->tryPush(rest))) held_ += rest;
    }
    endBody();
  }

  /// Ends the stream now, or when the client has read the held bytes.
  void endBody() {
    const std::shared_ptr<http::PushedBody> body = body_;
    const MutexLock lock(mutex_);
    if (held_.empty()) {
      body->onSpace({});
      body->finish();
      return;
    }
    body->onSpace([body, held = std::make_shared<std::string>(std::move(held_))] {
      if (!body->cancelled() && !body->tryPush(*held)) return;
      body->finish();
      body->onSpace({});  // the callback holds the body; break the cycle
    });
  }

  void giveUp() {
    Error error = failure_.value_or(
        Error::unavailable("No target of this model is available at the moment, try again later."));
    if (!failure_) {
      for (const Stage& stage : stages_) {
        const auto wait = ports_.balancer.waitFor(stage.candidates);
        if (!wait) continue;
        const auto seconds = std::chrono::ceil<std::chrono::seconds>(*wait).count();
        error = std::move(error).with("retry_after_seconds",
                                      std::to_string(std::max<std::int64_t>(1, seconds)));
        break;
      }
    }
    http::Response answer = http::errorResponse(error, http::ErrorShape::kOpenAi);
    finishWith(std::move(answer), error.message());
  }

  /// Settles the reservation and records the request, once. `release` sends the end of the response
  /// to the client when the usage is in the journal, so that its next request sees the remaining
  /// budget.
  void finish(int status,
              std::string failure,
              std::optional<TokenUsage> tokens = {},
              Recorder::Release release = {}) {
    const auto now = steady_clock::now();
    const auto since = [this](steady_clock::time_point when) {
      return std::chrono::duration_cast<std::chrono::microseconds>(when - request_.began);
    };
    UsageRecord usage;
    usage.id = newUuid(request_.started_at);
    usage.request_id = request_.request_id;
    usage.started_at = request_.started_at;
    usage.team_id = request_.team_id;
    usage.project_id = request_.project_id;
    usage.user_id = request_.user_id;
    usage.key_id = request_.key_id;
    usage.model = request_.model;
    usage.upstream = first_byte_ ? attempt_.upstream : std::string();
    usage.operation = textOf(request_.operation);
    usage.status = status;
    usage.streamed = body_ != nullptr;
    usage.counted = tokens.has_value();
    usage.tokens = tokens.value_or(TokenUsage());
    usage.latency = since(now);
    if (first_byte_) usage.first_token = since(*first_byte_);
    usage.attempts = attempts_;
    // The cost of a response without usage is unknown; count the reserved maximum.
    const bool unknown = !tokens && (body_ || isGood(status));
    const std::int64_t used = usage.tokens.prompt + usage.tokens.completion;
    const NanoDollars cost =
        unknown ? request_.reserved.cost : costOf(usage.tokens, request_.prices);
    usage.cost = usdOf(cost);
    request_.admission.settle(unknown ? request_.reserved.tokens : used, cost);
    FinishedCompletion finished;
    if (request_.traced) finished.trace = traceOf(usage, std::move(failure), tokens);
    finished.usage = std::move(usage);
    attempt_ = Attempt();
    ports_.recorder.record(std::move(finished), std::move(release));
  }

  TracedCompletion traceOf(const UsageRecord& usage,
                           std::string failure,
                           std::optional<TokenUsage> tokens) {
    TracedCompletion trace;
    // The request has ended; nothing reads its caller any more.
    static_cast<GatewayCaller&>(trace) = static_cast<GatewayCaller&&>(request_);
    trace.operation = request_.operation;
    trace.id = usage.id;
    trace.request = request_.text.text();
    if (body_) {
      trace.answer = event_filter_.kept();
    } else {
      trace.answer = std::move(attempt_.body);
    }
    trace.streamed = body_ != nullptr;
    if (body_ && event_filter_.isCut()) trace.output_cut = true;
    trace.model = request_.model;
    trace.upstream = usage.upstream;
    trace.failure = std::move(failure);
    trace.started_at = request_.started_at;
    trace.ended_at = ports_.clock.now();
    trace.tokens = tokens;
    return trace;
  }

  const RelayPorts ports_;
  RelayRequest request_;
  const std::shared_ptr<http::DeferredResponse> later_;
  std::vector<Stage> stages_;
  Attempt attempt_;
  std::int64_t attempts_ = 0;
  std::optional<Error> failure_;  ///< of the last attempt
  std::optional<steady_clock::time_point> first_byte_;
  EventStreamFilter event_filter_;
  std::shared_ptr<http::PushedBody> body_;  ///< set when the response starts to stream

  Mutex mutex_;
  std::shared_ptr<http::ClientExchange> exchange_ SPINDLE_GUARDED_BY(mutex_);
  std::string held_ SPINDLE_GUARDED_BY(mutex_);  ///< bytes that the session had no space for
  bool gone_ SPINDLE_GUARDED_BY(mutex_) = false;
};

}  // namespace

http::Response relay(const RelayPorts& ports, RelayRequest request) {
  return std::make_shared<Relay>(ports, std::move(request))->start();
}

}  // namespace spindle::inference
