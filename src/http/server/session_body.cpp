#include <algorithm>
#include <exception>
#include <utility>

#include "http/message/chunk_decoder.h"
#include "http/message/growth.h"
#include "http/server/log.h"
#include "http/server/session.h"
#include "http/server/session_exchange.h"

namespace spindle::http {
namespace {

constexpr std::size_t kFirstBodyStep = 16UL * 1024;
constexpr std::size_t kLargestBodyStep = 1024UL * 1024;
/// If a key was valid recently, a body up to this size is read before the key is checked again. The
/// worker that handles the request checks it.
constexpr std::uint64_t kMaxUncheckedBody = 64UL * 1024;
/// The credential is checked again if the body took longer than this to arrive.
constexpr std::chrono::seconds kCredentialMaxAge{1};

}  // namespace

/// Returns true if a worker must check the credential before more of the body is read.
bool Session::mustCheckCredentialFirst() const {
  const Exchange& exchange = *exchange_;
  const RequestFraming& framing = exchange.framing;
  if (!exchange.credential_pending || !framing.hasBody()) return false;
  if (framing.chunked || framing.expects_continue) return true;
  if (framing.content_length <= in_.size()) return false;
  return !exchange.presumed || framing.content_length > kMaxUncheckedBody;
}

/// @return false if the credential is refused, with the refusal in the response, or on a stop.
Task<bool> Session::checkCredential() {
  Exchange& exchange = *exchange_;
  exchange.response.status = 0;
  enter(Phase::kWork);
  exchange.checking = true;
  working_ = true;
  const WorkerPool::SubmitResult submitted =
      context_.workers.trySubmit(work_, exchange.share_class);
  if (submitted != WorkerPool::SubmitResult::kAccepted) {
    working_ = false;
    exchange.checking = false;
    exchange.response = busyResponse(submitted);
    co_return false;
  }
  while (working_) co_await changed_.wait();
  exchange.checking = false;
  if (work_dropped_ || exchange.response.status >= 400) co_return false;
  exchange.credential_pending = false;
  if (exchange.request.principal) {
    exchange.share_class = exchange.request.principal->shareClass();
    exchange.budget_key = exchange.request.principal->key_id;
  }
  co_return true;
}

void Session::checkOnWorker() {
  Exchange& exchange = *exchange_;
  try {
    std::optional<Response> refusal = context_.service.checkCredential(exchange.request);
    if (refusal) exchange.response = *std::move(refusal);
  } catch (const std::exception& error) {
    kLog.error("credential_check_failed",
               {{"request_id", exchange.request.request_id}, {"what", error.what()}});
    exchange.response = refusalResponse(500, "Internal Server Error", exchange.errors);
  }
}

/// @return false if the body is incomplete; the response then contains a refusal, if any.
Task<bool> Session::readBody() {
  Exchange& exchange = *exchange_;
  exchange.response.status = 0;
  exchange.charge = context_.bodies.charge(exchange.budget_key);
  const BodyBudget::ChargeResult charge_result = context_.bodies.probe(
      exchange.budget_key, static_cast<std::size_t>(exchange.framing.content_length));
  if (charge_result != BodyBudget::ChargeResult::kGranted) {
    exchange.response = budgetRefusal(charge_result);
    co_return false;
  }
  if (exchange.framing.expects_continue && in_.empty()) {
    const bool invited = co_await sendContinue();
    if (!invited) co_return false;
  }
  bool whole = false;
  if (exchange.framing.chunked) {
    whole = co_await readChunkedBody();
  } else {
    whole = co_await readSizedBody();
  }
  exchange.body_read = whole;
  if (whole && exchange.waited > kCredentialMaxAge) exchange.request.principal.reset();
  if (!whole) refuseExpiredBody();
  co_return whole;
}

/// Invites the client to send the body.
Task<bool> Session::sendContinue() {
  enter(Phase::kBody, context_.options.limits.body_timeout);
  Transport::Buffers buffers = {"HTTP/1.1 100 Continue\r\n\r\n", "", ""};
  bool sent = tryWriteAll(buffers);
  if (!sent) sent = co_await writeRest(buffers);
  co_return sent;
}

/// Sets the response to a body that did not arrive in time.
void Session::refuseExpiredBody() {
  if (!expired_ || closed_) return;
  exchange_->response =
      refusalOf(RequestRefusal(408, "The request body came too slowly", "body_timeout"));
}

Task<bool> Session::readSizedBody() {
  Exchange& exchange = *exchange_;
  std::string& body = exchange.request.body;
  const auto length = static_cast<std::size_t>(exchange.framing.content_length);
  std::size_t filled = std::min(length, in_.size());
  if (!growBody(filled, length)) co_return false;
  body.assign(in_.view().substr(0, filled));
  in_.consume(filled);
  while (filled < length) {
    startBodyWait();
    if (reading_) {  // started while a stream was sent before this request
      while (reading_) co_await changed_.wait();
      if (readFailed()) co_return false;
      const std::size_t part = std::min(length - filled, in_.size());
      if (!growBody(filled + part, length)) co_return false;
      body.append(in_.view().substr(0, part));
      in_.consume(part);
      countBodyBytes(part);
      filled += part;
      continue;
    }
    // Memory grows with the received bytes, not with the announced length.
    const std::size_t step = std::clamp(filled, kFirstBodyStep, kLargestBodyStep);
    if (!growBody(std::min(length, filled + step), length)) co_return false;
    body.resize(std::min(length, filled + step));
    armRead(body.data() + filled, body.size() - filled);
    while (reading_) co_await changed_.wait();
    if (!countRead()) co_return false;
    filled += read_bytes_;
  }
  co_return true;
}

Task<bool> Session::readChunkedBody() {
  Exchange& exchange = *exchange_;
  ChunkDecoder decoder;
  while (true) {
    std::string& body = exchange.request.body;
    const std::size_t limit = exchange.body_limit;
    // The decoded bytes are never more than the input.
    const std::size_t most = std::min(limit, body.size() + in_.size());
    if (!growBody(most, limit)) co_return false;
    const auto progress = decoder.feed(in_.view(), body, limit);
    in_.consume(progress.used);
    switch (progress.state) {
      case ChunkDecoder::State::kDone:
        co_return true;
      case ChunkDecoder::State::kBad:
        exchange.response =
            refusalOf(RequestRefusal(400, "The chunked body is malformed", "malformed"));
        co_return false;
      case ChunkDecoder::State::kTooLarge:
        exchange.response =
            refusalOf(RequestRefusal(413, "The request body is too large", "body_too_large"));
        co_return false;
      case ChunkDecoder::State::kMore:
        break;
    }
    startBodyWait();
    armRead();
    while (reading_) co_await changed_.wait();
    if (!countRead()) co_return false;
  }
}

/// Discards the body of a request that was answered without reading it.
Task<bool> Session::skipUnread() {
  std::uint64_t left = exchange_->unread;
  while (true) {
    const auto here = static_cast<std::size_t>(std::min<std::uint64_t>(left, in_.size()));
    in_.consume(here);
    left -= here;
    if (left == 0) co_return true;
    startBodyWait();
    armRead();
    while (reading_) co_await changed_.wait();
    if (!countRead()) co_return false;
  }
}

/// Grows the capacity for the body to `needed` bytes; charges the bytes before allocating them.
/// @return false if the budget is exhausted; the response then contains the refusal.
bool Session::growBody(std::size_t needed, std::size_t most) {
  Exchange& exchange = *exchange_;
  std::string& body = exchange.request.body;
  if (needed <= exchange.charge.bytes()) return true;
  BodyBudget::ChargeResult charge_result = BodyBudget::ChargeResult::kGranted;
  const bool grown = growTo(body, needed, most, [&](std::size_t capacity) {
    charge_result = exchange.charge.resize(capacity);
    return charge_result == BodyBudget::ChargeResult::kGranted;
  });
  if (!grown) exchange.response = budgetRefusal(charge_result);
  return grown;
}

Response Session::budgetRefusal(BodyBudget::ChargeResult charge_result) {
  if (charge_result == BodyBudget::ChargeResult::kTooLarge) {
    return refusalOf(RequestRefusal(413, "The request body is larger than the memory for bodies",
                                    "body_too_large"));
  }
  const bool own =
      charge_result == BodyBudget::ChargeResult::kKeyExhausted && !exchange_->budget_key.empty();
  return temporaryRefusal(
      own ? RequestRefusal(429,
                           "Other request bodies of this API key take all the memory that one key "
                           "may use, try again shortly",
                           "key_body_memory")
          : RequestRefusal(503,
                           "Other requests take all the memory for request bodies, try again "
                           "shortly",
                           "body_memory"));
}

/// Decodes the content coding of the body. Runs on a worker. @return false if the body does not
/// match its Content-Encoding or the budget is exhausted; the response then contains the refusal.
bool Session::decodeBody() {
  Exchange& exchange = *exchange_;
  std::string& body = exchange.request.body;
  if (exchange.body_coding == Coding::kIdentity || body.empty()) return true;
  std::string decoded;
  const std::unique_ptr<Decoder> decoder = Decoder::make(exchange.body_coding);
  BodyBudget::ChargeResult charge_result = BodyBudget::ChargeResult::kGranted;
  decoder->setGrowth([&](std::size_t capacity) {
    charge_result = exchange.charge.resize(body.capacity() + capacity);
    return charge_result == BodyBudget::ChargeResult::kGranted;
  });
  Result<void> outcome = decoder->feed(body, decoded, exchange.body_limit);
  if (outcome) outcome = decoder->finish();
  if (outcome) {
    body = std::move(decoded);
    exchange.charge.resize(body.capacity());
    exchange.request.headers.remove("Content-Encoding");
    return true;
  }
  if (charge_result != BodyBudget::ChargeResult::kGranted) {
    exchange.response = budgetRefusal(charge_result);
    return false;
  }
  const bool large = outcome.error().code() == ErrorCode::kTooLarge;
  exchange.response =
      large ? refusalOf(
                  RequestRefusal(413, "The decoded request body is too large", "body_too_large"))
            : refusalOf(RequestRefusal(400, "The request body does not match its Content-Encoding",
                                       "malformed"));
  return false;
}

/// Starts to wait for body bytes: until body_timeout, or as long as body_rate allows.
void Session::startBodyWait() {
  Exchange& exchange = *exchange_;
  const ServerLimits& limits = context_.options.limits;
  std::chrono::milliseconds limit = limits.body_timeout;
  if (limits.body_rate > 0) {
    const std::chrono::duration<double> earned(static_cast<double>(exchange.received) /
                                               static_cast<double>(limits.body_rate));
    const std::chrono::duration<double> left = limits.body_grace + earned - exchange.waited;
    const double millis = std::clamp(left.count() * 1000, 0.0, 1e9);
    limit = std::min(limit, std::chrono::milliseconds(static_cast<std::int64_t>(millis)));
  }
  enter(Phase::kBody, limit);
  exchange.wait_began = std::chrono::steady_clock::now();
}

void Session::countBodyBytes(std::size_t bytes) {
  Exchange& exchange = *exchange_;
  exchange.waited += std::chrono::steady_clock::now() - exchange.wait_began;
  exchange.received += bytes;
}

/// Counts the bytes of the last read as bytes of the body. @return false if the read failed.
bool Session::countRead() {
  if (readFailed()) return false;
  countBodyBytes(read_bytes_);
  return true;
}

}  // namespace spindle::http
