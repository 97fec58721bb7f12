#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <utility>

#include "http/message/deferred_response.h"
#include "http/message/sized_body.h"
#include "http/server/log.h"
#include "http/server/session.h"
#include "http/server/session_exchange.h"

namespace spindle::http {
namespace {

constexpr int kClientClosedRequest =
    499;  ///< for logs and metrics only: the client has disconnected

/// Returns how a streamed response shows the end of its body.
BodyFraming streamFraming(bool bodiless, bool sized, bool http_1_0) {
  if (bodiless) return BodyFraming::kNone;
  if (sized) return BodyFraming::kLength;
  return http_1_0 ? BodyFraming::kUntilClose : BodyFraming::kChunked;
}

/// The memory for the line before a chunk.
using ChunkSizeLine = std::array<char, 20>;

/// Returns the bytes of a chunk in the chunked coding, with the end of the body after the last one.
/// They refer to `chunk` and `line`.
Transport::Buffers inChunkedCoding(std::string_view chunk, bool last, ChunkSizeLine& line) {
  if (chunk.empty()) return {"", "", last ? "0\r\n\r\n" : ""};
  const auto [digits_end, error] = std::to_chars(line.begin(), line.end() - 2, chunk.size(), 16);
  std::copy_n("\r\n", 2, digits_end);
  const std::string_view size(line.data(), static_cast<std::size_t>(digits_end + 2 - line.data()));
  return {size, chunk, last ? "\r\n0\r\n\r\n" : "\r\n"};
}

}  // namespace

/// The wake-up callback of a producer. The producer may keep it for any time. The session accepts
/// wake-ups only during the stream, and waits for those that are under way before it ends.
class Session::WakeGate final : public IoThread::Completion {
 public:
  explicit WakeGate(Session& session) : session_(session) {}

  /// May be called from any thread.
  void wake() {
    const MutexLock lock(mutex_);
    if (!open_ || under_way_) return;
    under_way_ = true;
    session_.thread_.complete(*this);
  }

  void completed() override {
    {
      const MutexLock lock(mutex_);
      under_way_ = false;
    }
    fired_ = true;
    session_.changed_.notify();
  }

  /// Returns true once after each wake-up. I/O thread only.
  bool takeFired() { return std::exchange(fired_, false); }
  void shut() {
    const MutexLock lock(mutex_);
    open_ = false;
  }
  bool underWay() {
    const MutexLock lock(mutex_);
    return under_way_;
  }

 private:
  Session& session_;
  Mutex mutex_;
  bool open_ SPINDLE_GUARDED_BY(mutex_) = true;
  bool under_way_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool fired_ = false;
};

/// Waits for a deferred response. @return false if the client disconnects first.
Task<bool> Session::awaitDeferredResponse(std::shared_ptr<DeferredResponse> later) {
  Exchange& exchange = *exchange_;
  auto gate = std::make_shared<WakeGate>(*this);
  later->onResponse([gate] { gate->wake(); });
  watching_ = true;
  armRead();
  while (!later->given() && !clientGone()) co_await changed_.wait();
  watching_ = false;
  later->abandon();
  gate->shut();
  while (gate->underWay()) co_await changed_.wait();
  if (!later->given()) {
    exchange.response.status = kClientClosedRequest;
    recordExchange();
    co_return false;
  }
  Response answer = later->take();
  for (const Headers::Field& field : exchange.response.headers) {
    answer.headers.add(field.first, field.second);
  }
  exchange.response = std::move(answer);
  co_return true;
}

Task<Session::Next> Session::sendStream() {
  Exchange& exchange = *exchange_;
  const std::shared_ptr<BodyStream> stream = exchange.response.stream;
  const bool bodiless = forbidsBody(exchange.response.status);
  const bool old = exchange.framing.http_1_0;
  const auto* const sized = exchange.encoder ? nullptr : dynamic_cast<SizedBody*>(stream.get());
  if (sized != nullptr) exchange.stream_length = sized->length();
  if (old && !bodiless && sized == nullptr) exchange.close = true;
  decideToClose();
  writeHead(streamFraming(bodiless, sized != nullptr, old), exchange.stream_length.value_or(0));
  Transport::Buffers buffers = {head_, "", ""};
  bool sent = tryWriteAll(buffers);
  if (!sent) sent = co_await writeRest(buffers);
  bool complete = false;
  if (sent && !bodiless && !exchange.headOnly()) {
    auto gate = std::make_shared<WakeGate>(*this);
    stream->onReady([gate] { gate->wake(); });
    exchange.pulls = stream->blocks();
    watching_ = true;
    armRead();
    try {
      complete = co_await pump(gate);
    } catch (const std::exception& error) {
      kLog.error("stream_failed",
                 {{"request_id", exchange.request.request_id}, {"what", error.what()}});
    }
    while (working_) co_await changed_.wait();
    watching_ = false;
    gate->shut();
    while (gate->underWay()) co_await changed_.wait();
    stream->onReady({});
    exchange.pulls = false;
  }
  const bool asked_to_end = exchange.stream_state == BodyStream::State::kEnd ||
                            exchange.stream_state == BodyStream::State::kBroken;
  if (!asked_to_end) stream->cancel();
  recordExchange();
  const bool nothing_owed = sent && (bodiless || exchange.headOnly());
  if (!complete && !nothing_owed) {
    // If the end of the connection ends the body, only a reset signals a failed stream.
    if (old && sized == nullptr) transport_->abort();
    co_return Next::kCut;
  }
  co_return exchange.close ? Next::kLeave : Next::kRequest;
}

/// Sends the chunks of the stream; reads the next chunk while one is being sent. @return true if
/// the complete stream was sent.
Task<bool> Session::pump(std::shared_ptr<WakeGate> gate) {
  using State = BodyStream::State;
  Exchange& exchange = *exchange_;
  const bool chunked = !exchange.framing.http_1_0 && !exchange.stream_length;
  std::string chunk;
  requestNextChunk();
  while (true) {
    while (working_ || (exchange.stream_state == State::kWait && !clientGone())) {
      if (!working_ && gate->takeFired()) {
        requestNextChunk();
        continue;
      }
      co_await changed_.wait();
    }
    if (clientGone() || work_dropped_ || exchange.stream_state == State::kBroken) co_return false;
    const bool last = takeChunk(chunk);
    ChunkSizeLine line{};
    Transport::Buffers buffers = {"", chunk, ""};
    if (chunked) buffers = inChunkedCoding(chunk, last, line);
    exchange.bytes_sent += chunk.size();
    if (!keepsAnnouncedLength(last)) co_return false;
    bool sent = tryWriteAll(buffers);
    if (!sent) sent = co_await writeRest(buffers);
    if (!sent || last) co_return sent;
    if (!exchange.pulls) requestNextChunk();
  }
}

/// Replaces `chunk` by the chunk that was read, and begins to read the next one if a worker does
/// that. @return true if the chunk is the last one.
bool Session::takeChunk(std::string& chunk) {
  Exchange& exchange = *exchange_;
  const bool last = exchange.stream_state == BodyStream::State::kEnd;
  chunk.clear();
  chunk.swap(exchange.stream_chunk);
  if (last && exchange.encoder) chunk = exchange.encoder->finish();
  if (!last && exchange.pulls) requestNextChunk();
  return last;
}

/// Returns true if the sent bytes agree with the announced length. More bytes corrupt the next
/// response; with fewer, the client would wait.
bool Session::keepsAnnouncedLength(bool last) const {
  const std::uint64_t sent = exchange_->bytes_sent;
  const std::uint64_t promised = exchange_->stream_length.value_or(sent);
  return last ? sent == promised : sent <= promised;
}

/// Reads the next chunk: on a worker if that may block, else on this thread.
void Session::requestNextChunk() {
  if (!exchange_->pulls) return readNextChunk();
  working_ = true;
  context_.workers.submit(work_, exchange_->share_class);
}

void Session::readNextChunk() {
  Exchange& exchange = *exchange_;
  std::string& chunk = exchange.stream_chunk;
  chunk.clear();
  try {
    exchange.stream_state = exchange.response.stream->next(chunk);
    if (exchange.stream_state == BodyStream::State::kChunk && exchange.encoder) {
      chunk = exchange.encoder->feed(chunk, true);
    }
  } catch (const std::exception& error) {
    kLog.error("stream_failed",
               {{"request_id", exchange.request.request_id}, {"what", error.what()}});
    exchange.stream_state = BodyStream::State::kBroken;
  } catch (...) {
    kLog.error("stream_failed", {{"request_id", exchange.request.request_id}});
    exchange.stream_state = BodyStream::State::kBroken;
  }
  if (exchange.stream_state != BodyStream::State::kChunk) chunk.clear();
}

}  // namespace spindle::http
