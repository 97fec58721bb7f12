#include "http/server/session.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "http/server/log.h"
#include "http/server/session_exchange.h"

namespace spindle::http {
namespace {

/// Time for the client to close after the last byte of the response (lingering close). If the
/// server closes while client bytes are in transit, the kernel sends a reset that can overtake the
/// response.
constexpr std::chrono::milliseconds kLinger{2000};
/// Time that an idle connection stays open during a drain, because a request may be in transit.
constexpr std::chrono::milliseconds kDrainGrace{250};

}  // namespace

SessionContext::SessionContext(const ServerOptions& server_options,
                               const Service& the_service,
                               WorkerPool& the_workers,
                               WorkerPool& the_outbound,
                               AccessLog* log,
                               MetricRegistry& metrics)
    : options(server_options),
      service(the_service),
      cors(server_options.cors),
      workers(the_workers),
      outbound(the_outbound),
      access_log(log),
      connections(metrics.gauge("spindle_http_connections", "Open connections.")),
      bodies({server_options.limits.body_memory, server_options.limits.body_memory_per_key,
              server_options.limits.unauthenticated_memory},
             metrics.gauge("spindle_http_body_bytes", "Memory of request bodies."),
             metrics.gauge("spindle_http_unauthenticated_bytes",
                           "Memory of requests whose credential was not checked.")) {}

void SessionContext::opened() {
  connections.add(1);
  const MutexLock lock(mutex_);
  ++open_;
}

void SessionContext::closed(ConnectionDecision decision) {
  connections.add(-1);
  (decision == ConnectionDecision::kServe ? serving : rejecting).fetch_sub(1);
  const MutexLock lock(mutex_);
  if (--open_ == 0) empty_.notifyAll();
}

bool SessionContext::waitUntilEmpty(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  const MutexLock lock(mutex_);
  while (open_ > 0) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left.count() <= 0) return false;
    empty_.waitFor(mutex_, left);
  }
  return true;
}

Session::Session(SessionContext& context,
                 IoThread& thread,
                 std::shared_ptr<Transport> transport,
                 std::string peer,
                 ConnectionDecision decision)
    : context_(context),
      thread_(thread),
      transport_(std::move(transport)),
      peer_(std::move(peer)),
      decision_(decision),
      parser_(context.options.limits.header_bytes, context.options.base_path),
      head_charge_(context.bodies.charge({})),
      work_(*this) {}

Session::~Session() = default;

void Session::start(SessionContext& context,
                    IoThread& thread,
                    std::shared_ptr<Transport> transport,
                    std::string peer,
                    ConnectionDecision decision) {
  run(std::make_shared<Session>(context, thread, std::move(transport), std::move(peer), decision));
}

Detached Session::run(std::shared_ptr<Session> self) {
  self->thread_.add(*self);
  try {
    const Next next = co_await self->serveConnection();
    if (next == Next::kLeave) co_await self->leave();
  } catch (const std::exception& error) {
    kLog.error("session_failed", {{"what", error.what()}});
  }
  while (self->working_) co_await self->changed_.wait();  // a worker may run after an exception
  self->closed_ = true;
  self->transport_->close();
  self->thread_.remove(*self);
  self->context_.closed(self->decision_);
}

Task<Session::Next> Session::serveConnection() {
  if (transport_->secure()) {
    if (decision_ == ConnectionDecision::kReject) co_return Next::kCut;
    enter(Phase::kHandshake, context_.options.limits.header_timeout);
    controlling_ = true;
    transport_->startHandshake(shared_from_this());
    while (controlling_) co_await changed_.wait();
    if (control_outcome_ != Transport::Outcome::kOk) co_return Next::kCut;
  }
  if (decision_ == ConnectionDecision::kReject) co_return co_await rejectConnection();
  Next next = Next::kRequest;
  while (next == Next::kRequest) {
    const bool begun = co_await awaitFirstByte();
    if (!begun) co_return expired_ && !draining() ? Next::kLeave : Next::kCut;
    next = co_await serve();
    exchange_.reset();
  }
  co_return next;
}

Task<Session::Next> Session::rejectConnection() {
  thread_.metrics().rejected("connections");
  constexpr std::string_view kAnswer =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: 56\r\n"
      "Retry-After: 1\r\nConnection: close\r\n\r\n"
      R"({"detail":"Too many connections, try again in a moment"})";
  Transport::Buffers buffers = {kAnswer, "", ""};
  enter(Phase::kReply);
  bool sent = tryWriteAll(buffers);
  if (!sent) sent = co_await writeRest(buffers);
  co_return sent ? Next::kLeave : Next::kCut;
}

Task<bool> Session::awaitFirstByte() {
  if (!reading_) in_.shrink();
  if (head_.capacity() > 1024) head_ = std::string();
  while (in_.empty()) {
    const ServerLimits& limits = context_.options.limits;
    enter(Phase::kIdle, draining() ? kDrainGrace
                        : fresh_   ? limits.header_timeout
                                   : limits.idle_timeout);
    armRead();
    while (reading_) co_await changed_.wait();
    if (!readFailed()) continue;
    // The deadline has passed. Bytes that arrived at the same moment are still a request.
    if (closed_ || !expired_ || !transport_->readable()) co_return false;
  }
  fresh_ = false;
  co_return true;
}

Task<Session::Next> Session::serve() {
  exchange_ = std::make_unique<Exchange>();
  Exchange& exchange = *exchange_;
  exchange.began = std::chrono::steady_clock::now();
  const bool understood = co_await readHead();
  if (!understood) {
    exchange.close = true;
    const bool refused = exchange.response.status >= 400;
    if (!refused) co_return Next::kCut;
    Response refusal = std::move(exchange.response);
    co_return co_await reply(std::move(refusal));
  }
  std::optional<Response> early = earlyResponse();
  const bool streamed = exchange.body_limit >= kCodedBody;
  if (!early && !streamed && mustCheckCredentialFirst()) {
    const bool good = co_await checkCredential();
    if (!good && exchange.response.status < 400) co_return Next::kCut;
    if (!good) early.emplace(std::move(exchange.response));
  }
  if (!early && !streamed && exchange.framing.hasBody()) {
    const bool whole = co_await readBody();
    if (!whole) {
      exchange.close = true;
      const bool refused = exchange.response.status >= 400;
      if (!refused) co_return Next::kCut;
      early.emplace(std::move(exchange.response));
    }
  }
  Next next = Next::kCut;
  if (early) {
    Response response = std::move(*early);
    next = co_await reply(std::move(response));
  } else {
    next = co_await handle();
  }
  if (next == Next::kRequest && exchange.unread > 0) {
    const bool skipped = co_await skipUnread();
    if (!skipped) co_return Next::kLeave;
  }
  co_return next;
}

/// @return false if there is no request to serve; the response then contains a refusal, if any.
Task<bool> Session::readHead() {
  Exchange& exchange = *exchange_;
  enter(Phase::kHead, context_.options.limits.header_timeout);
  exchange.response.status = 0;
  parser_.begin(exchange.request);
  while (true) {
    const RequestParser::Progress progress = parser_.feed(in_.view());
    in_.consume(progress.used);
    if (progress.state == RequestParser::State::kDone) break;
    if (progress.state == RequestParser::State::kRefused) {
      exchange.response = refusalOf(parser_.refusal());
      co_return false;
    }
    if (!expired_) {
      const std::size_t wanted = in_.wantedCapacity();
      if (head_charge_.resize(wanted > ReadBuffer::kSmall ? wanted : 0) !=
          BodyBudget::ChargeResult::kGranted) {
        exchange.response = budgetRefusal(BodyBudget::ChargeResult::kServerExhausted);
        co_return false;
      }
      armRead();
      while (reading_) co_await changed_.wait();
    }
    if (expired_ && !closed_) {
      exchange.response =
          refusalOf(RequestRefusal(408, "The request headers came too slowly", "header_timeout"));
      co_return false;
    }
    if (readFailed()) co_return false;
  }
  head_charge_.release();
  exchange.framing = parser_.framing();
  exchange.framed = true;
  completeRequestHead();
  co_return true;
}

Task<> Session::leave() {
  if (reading_) transport_->cancel();
  while (reading_) co_await changed_.wait();
  if (closed_) co_return;
  enter(Phase::kLinger, draining() ? kDrainGrace : kLinger);
  controlling_ = true;
  transport_->startShutdown(shared_from_this());
  while (controlling_) co_await changed_.wait();
  while (!expired_ && !closed_) {
    in_.clear();
    armRead();
    while (reading_) co_await changed_.wait();
    if (readFailed()) co_return;
  }
}

void Session::enter(Phase phase, std::chrono::milliseconds limit) {
  phase_ = phase;
  expired_ = false;
  deadline_ = std::chrono::steady_clock::now() + limit;
}

void Session::enter(Phase phase) {
  phase_ = phase;
  expired_ = false;
  deadline_ = IoThread::Time::max();
}

void Session::armRead(char* data, std::size_t size) {
  reading_ = true;
  reading_into_buffer_ = false;
  transport_->startRead(shared_from_this(), data, size);
}

void Session::armRead() {
  if (reading_) return;
  const std::size_t room = in_.prepare();
  reading_ = true;
  reading_into_buffer_ = true;
  transport_->startRead(shared_from_this(), in_.room(), room);
}

void Session::onRead(Transport::Outcome outcome, std::size_t bytes) {
  reading_ = false;
  read_outcome_ = outcome;
  read_bytes_ = bytes;
  if (reading_into_buffer_) in_.commit(bytes);
  // Pipelined requests beyond one buffer stay in the kernel.
  if (watching_ && !readFailed() && in_.size() < ReadBuffer::kLarge) armRead();
  changed_.notify();
}

void Session::onWritten(Transport::Outcome outcome, std::size_t bytes) {
  writing_ = false;
  write_outcome_ = outcome;
  written_bytes_ = bytes;
  changed_.notify();
}

void Session::onControl(Transport::Outcome outcome) {
  controlling_ = false;
  control_outcome_ = outcome;
  changed_.notify();
}

void Session::expired() {
  expired_ = true;
  transport_->cancel();
}

void Session::drain() {
  if (phase_ != Phase::kIdle && phase_ != Phase::kLinger) return;
  deadline_ = std::min(deadline_, std::chrono::steady_clock::now() + kDrainGrace);
}

bool Session::cut() {
  const bool busy = phase_ != Phase::kHandshake && phase_ != Phase::kIdle &&
                    phase_ != Phase::kLinger && decision_ == ConnectionDecision::kServe;
  closed_ = true;
  transport_->close();
  changed_.notify();
  return busy;
}

}  // namespace spindle::http
