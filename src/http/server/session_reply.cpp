#include <algorithm>
#include <exception>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/time.h"
#include "base/crypto/id.h"
#include "http/message/deferred_response.h"
#include "http/server/log.h"
#include "http/server/logged_path.h"
#include "http/server/session.h"
#include "http/server/session_exchange.h"

namespace spindle::http {
namespace {

constexpr std::size_t kMaxRequestId = 128;
/// The largest body that a handler processes on an I/O thread.
constexpr std::size_t kMaxIoThreadBody = 32UL * 1024;
/// An unread body up to this size is discarded to keep the connection; for a larger one, closing
/// the connection is cheaper.
constexpr std::uint64_t kMaxSkippedBody = 64UL * 1024;
/// The share class of requests whose credential is not checked yet; never a team or user id.
constexpr std::string_view kUncheckedClass = "(unchecked)";

bool usableRequestId(std::string_view id) {
  if (id.empty() || id.size() > kMaxRequestId) return false;
  return std::all_of(id.begin(), id.end(),
                     [](char c) { return isLetterOrDigit(c) || c == '.' || c == '_' || c == '-'; });
}

Response internalError(std::string_view what, std::string_view request_id, ErrorShape shape) {
  kLog.error(
      "handler_failed",
      {{"error_id", newUuid(SystemClock().now())}, {"request_id", request_id}, {"what", what}});
  return refusalResponse(500, "Internal Server Error", shape);
}

/// Removes the first `sent` bytes. @return true if nothing is left.
bool removeSent(Transport::Buffers& buffers, std::size_t sent) {
  bool done = true;
  for (std::string_view& piece : buffers) {
    const std::size_t part = std::min(sent, piece.size());
    piece.remove_prefix(part);
    sent -= part;
    done = done && piece.empty();
  }
  return done;
}

std::string encodeWhole(Coding coding, std::string_view body) {
  const std::unique_ptr<Encoder> encoder = Encoder::make(coding);
  std::string encoded = encoder->feed(body, false);
  encoded += encoder->finish();
  return encoded;
}

}  // namespace

void Session::completeRequestHead() {
  Exchange& exchange = *exchange_;
  Request& request = exchange.request;
  exchange.method = request.method;
  if (exchange.headOnly()) request.method = Method::kGet;
  request.peer_address = peer_;
  request.secure = transport_->secure();
  const std::string_view id = request.headers.get("X-Request-Id");
  request.request_id = usableRequestId(id) ? std::string(id) : newUuid(SystemClock().now());
}

Response Session::refusalOf(const RequestRefusal& refusal) {
  exchange_->rejected = refusal.reason;
  return refusalResponse(refusal.status, refusal.detail, exchange_->errors);
}

/// Returns a refusal that asks the client to repeat the request.
Response Session::temporaryRefusal(const RequestRefusal& refusal) {
  Response response = refusalOf(refusal);
  response.headers.add("Retry-After", "1");
  return response;
}

/// Returns the response to a request if its body need not be read.
std::optional<Response> Session::earlyResponse() {
  Exchange& exchange = *exchange_;
  Request& request = exchange.request;
  if (context_.cors.isPreflight(request)) return context_.cors.preflight(request);
  try {
    Admission admission = context_.service.admit(request);
    exchange.body_limit = admission.body_limit;
    exchange.errors = admission.errors;
    request.route = admission.route;
    exchange.try_on_io_thread = admission.try_on_io_thread;
    exchange.uses_outbound_threads = admission.uses_outbound_threads;
    exchange.credential_pending = admission.credential_pending;
    exchange.presumed = admission.presumed.has_value();
    const std::optional<Principal>& who =
        admission.principal ? admission.principal : admission.presumed;
    if (who) {
      exchange.share_class = who->shareClass();
      exchange.budget_key = who->key_id;
    } else if (exchange.credential_pending) {
      exchange.share_class = kUncheckedClass;
    }
    request.principal = std::move(admission.principal);
    if (admission.refusal) return std::move(admission.refusal);
  } catch (const std::exception& error) {
    return internalError(error.what(), request.request_id, exchange.errors);
  } catch (...) {
    return internalError("not an exception", request.request_id, exchange.errors);
  }
  if (!exchange.framing.hasBody()) return std::nullopt;
  if (exchange.framing.content_length > exchange.body_limit) {
    return refusalOf(RequestRefusal(413, "The request body is too large", "body_too_large"));
  }
  unsigned codings = 0;
  for (const Headers::Field& field : request.headers) {
    if (!equalIgnoringCase(field.first, "Content-Encoding")) continue;
    const std::optional<Coding> coding = codingOf(field.second);
    if (!coding || ++codings > 1) {
      return refusalOf(
          RequestRefusal(415, "This content coding is not supported", "content_coding"));
    }
    exchange.body_coding = *coding;
  }
  if (exchange.body_limit == kStreamedBody && exchange.body_coding != Coding::kIdentity) {
    return refusalOf(
        RequestRefusal(415, "Send this body without a content coding", "content_coding"));
  }
  return std::nullopt;
}

/// Returns the response to a request that the worker pool did not accept.
Response Session::busyResponse(WorkerPool::SubmitResult submitted) {
  const bool whole = submitted == WorkerPool::SubmitResult::kFull || exchange_->budget_key.empty();
  return temporaryRefusal(
      whole ? RequestRefusal(503, "Server is overloaded, try again shortly", "overload")
            : RequestRefusal(429, "Too many requests of your team are waiting, try again shortly",
                             "share"));
}

Task<Session::Next> Session::handle() {
  enter(Phase::kWork);
  if (!handledOnIoThread()) {
    working_ = true;
    WorkerPool& pool = exchange_->uses_outbound_threads ? context_.outbound : context_.workers;
    const WorkerPool::SubmitResult submitted = pool.trySubmit(work_, exchange_->share_class);
    if (submitted != WorkerPool::SubmitResult::kAccepted) {
      working_ = false;
      Response busy = busyResponse(submitted);
      co_return co_await reply(std::move(busy));
    }
    while (working_) co_await changed_.wait();
    if (work_dropped_) co_return Next::kCut;
  }
  if (exchange_->response.later) {
    std::shared_ptr<DeferredResponse> later = std::move(exchange_->response.later);
    const bool given = co_await awaitDeferredResponse(std::move(later));
    exchange_->charge.release();
    if (!given) co_return Next::kCut;
  }
  auto upload = std::dynamic_pointer_cast<Upload>(exchange_->response.stream);
  if (upload) co_return co_await receiveUpload(std::move(upload));
  enter(Phase::kReply);
  if (exchange_->response.stream) co_return co_await sendStream();
  co_return co_await sendWhole();
}

void Session::Work::run() noexcept {
  session_.runOnWorker();
  session_.thread_.complete(*this);
}

void Session::Work::drop() noexcept {
  session_.work_dropped_ = true;
  session_.thread_.complete(*this);
}

void Session::Work::completed() {
  session_.working_ = false;
  session_.changed_.notify();
}

void Session::runOnWorker() {
  if (exchange_->checking) {
    checkOnWorker();
  } else if (exchange_->upload) {
    uploadOnWorker();
  } else if (exchange_->pulls) {
    readNextChunk();
  } else {
    handleOnWorker();
  }
}

/// Handles the request on this I/O thread if the service can. Such responses are not compressed.
bool Session::handledOnIoThread() {
  Exchange& exchange = *exchange_;
  Request& request = exchange.request;
  const bool fits = exchange.try_on_io_thread && exchange.body_coding == Coding::kIdentity &&
                    request.body.size() <= kMaxIoThreadBody;
  if (!fits) return false;
  try {
    std::optional<Response> response = context_.service.handleOnIoThread(request);
    if (!response) return false;
    exchange.response = *std::move(response);
  } catch (const std::exception& error) {
    exchange.response = internalError(error.what(), request.request_id, exchange.errors);
  } catch (...) {
    exchange.response = internalError("not an exception", request.request_id, exchange.errors);
  }
  std::string().swap(request.body);
  if (!exchange.response.later) exchange.charge.release();
  return true;
}

void Session::handleOnWorker() {
  Exchange& exchange = *exchange_;
  Request& request = exchange.request;
  try {
    if (!decodeBody()) return;
    exchange.response = context_.service.handle(request);
    Response& response = exchange.response;
    if (response.later) return;  // not compressed: I/O threads do not encode
    exchange.charge.release();
    exchange.coding = negotiateCoding(response, request.headers.get("Accept-Encoding"));
    if (exchange.coding != Coding::kIdentity) {
      if (response.stream) {
        exchange.encoder = Encoder::make(exchange.coding);
      } else {
        response.body = encodeWhole(exchange.coding, response.body);
      }
    }
  } catch (const std::exception& error) {
    exchange.coding = Coding::kIdentity;
    exchange.response = internalError(error.what(), request.request_id, exchange.errors);
  } catch (...) {
    exchange.coding = Coding::kIdentity;
    exchange.response = internalError("not an exception", request.request_id, exchange.errors);
  }
  std::string().swap(request.body);
  if (!exchange.response.later) exchange.charge.release();
}

Task<Session::Next> Session::reply(Response response) {
  exchange_->response = std::move(response);
  exchange_->response.stream.reset();
  return sendWhole();
}

/// Decides whether to close the connection after this response.
void Session::decideToClose() {
  Exchange& exchange = *exchange_;
  const RequestFraming& framing = exchange.framing;
  if (!exchange.framed || !framing.keep_alive) exchange.close = true;
  if (framing.hasBody() && !exchange.body_read) {
    if (framing.chunked || framing.expects_continue || framing.content_length > kMaxSkippedBody) {
      exchange.close = true;
    } else {
      exchange.unread = framing.content_length;
    }
  }
  // A server that stops still handles pipelined requests that have started to arrive.
  if ((draining() || retiring()) && in_.size() <= exchange.unread && !transport_->readable())
    exchange.close = true;
}

void Session::writeHead(BodyFraming framing, std::uint64_t length) {
  Exchange& exchange = *exchange_;
  Request& request = exchange.request;
  if (request.request_id.empty()) request.request_id = newUuid(SystemClock().now());
  ResponseHeadFields fields;
  fields.status = exchange.response.status;
  fields.framing = framing;
  fields.content_length = length;
  fields.coding = exchange.coding;
  fields.close = exchange.close;
  fields.send_keep_alive = exchange.framing.http_1_0;
  fields.date = thread_.date().at(std::time(nullptr));
  fields.request_id = request.request_id;
  head_.clear();
  appendHead(head_, fields, exchange.response.headers);
  context_.cors.appendFields(request, head_);
  head_ += "\r\n";
}

Task<Session::Next> Session::sendWhole() {
  Exchange& exchange = *exchange_;
  const std::string& body = exchange.response.body;
  const bool bodiless = forbidsBody(exchange.response.status);
  enter(Phase::kReply);
  decideToClose();
  if (!exchange.rejected.empty()) thread_.metrics().rejected(exchange.rejected);
  writeHead(bodiless ? BodyFraming::kNone : BodyFraming::kLength, body.size());
  Transport::Buffers buffers = {head_, "", ""};
  if (!bodiless && !exchange.headOnly()) buffers[1] = body;
  exchange.bytes_sent = buffers[1].size();
  bool sent = tryWriteAll(buffers);
  if (!sent) sent = co_await writeRest(buffers);
  recordExchange();
  if (!sent) co_return Next::kCut;
  co_return exchange.close ? Next::kLeave : Next::kRequest;
}

/// Sends without blocking, which is nearly always sufficient. @return true if all bytes were sent.
bool Session::tryWriteAll(Transport::Buffers& buffers) {
  return removeSent(buffers, transport_->writeNow(buffers));
}

/// Sends the rest as fast as the client reads. @return false on a timeout or disconnect.
Task<bool> Session::writeRest(Transport::Buffers buffers) {
  bool done = false;
  while (!done) {
    if (closed_) co_return false;
    enter(phase_, context_.options.limits.write_timeout);
    writing_ = true;
    transport_->startWrite(shared_from_this(), buffers);
    while (writing_) co_await changed_.wait();
    if (write_outcome_ != Transport::Outcome::kOk) co_return false;
    done = removeSent(buffers, written_bytes_);
  }
  enter(phase_);
  co_return true;
}

void Session::recordExchange() {
  Exchange& exchange = *exchange_;
  Request& request = exchange.request;
  const auto duration = std::chrono::steady_clock::now() - exchange.began;
  const int status = exchange.response.status;
  thread_.metrics().record(exchange.method, request.route, status,
                           std::chrono::duration<double>(duration).count());
  if (context_.access_log == nullptr) return;
  AccessRecord record;
  record.method = exchange.method;
  record.status = status;
  record.bytes = exchange.bytes_sent;
  record.duration = duration;
  record.route = request.route;
  record.path = loggedPath(request.path(), request.route);
  record.request_id = request.request_id;
  if (request.principal) {
    const Principal& who = *request.principal;
    record.user = who.username.empty() ? who.user_id : who.username;
  }
  record.peer = peer_;
  context_.access_log->add(std::move(record));
}

}  // namespace spindle::http
