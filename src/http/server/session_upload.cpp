#include <algorithm>
#include <exception>
#include <utility>

#include "http/message/chunk_decoder.h"
#include "http/server/log.h"
#include "http/server/session.h"
#include "http/server/session_exchange.h"

namespace spindle::http {
namespace {

// Chunk sizes grow with the received bytes, so that a large announced length alone costs little.
constexpr std::size_t kFirstChunk = 16UL * 1024;
constexpr std::size_t kLargestChunk = 512UL * 1024;

}  // namespace

/// Passes the body to the upload that the handler returned.
Task<Session::Next> Session::receiveUpload(std::shared_ptr<Upload> upload) {
  Exchange& exchange = *exchange_;
  exchange.upload = std::move(upload);
  exchange.response = Response();
  exchange.response.status = 0;
  bool whole = false;
  try {
    whole = co_await passBodyToUpload();
  } catch (const std::exception& error) {
    kLog.error("upload_failed",
               {{"request_id", exchange.request.request_id}, {"what", error.what()}});
  }
  while (working_) co_await changed_.wait();
  exchange.body_read = whole;
  exchange.upload_step = whole ? UploadStep::kFinish : UploadStep::kDrop;
  enter(Phase::kWork);
  working_ = true;
  context_.workers.submit(work_, exchange.share_class);
  while (working_) co_await changed_.wait();
  exchange.charge.release();
  if (work_dropped_) co_return Next::kCut;
  if (!whole) {
    exchange.close = true;
    if (exchange.response.status < 400) co_return Next::kCut;
  }
  co_return co_await sendWhole();
}

/// @return false if the body is incomplete or refused; the response may contain a refusal.
Task<bool> Session::passBodyToUpload() {
  Exchange& exchange = *exchange_;
  exchange.upload_step = UploadStep::kTake;
  // The handler has accepted the request, by its API key or by its own token.
  const std::optional<Principal>& who = exchange.request.principal;
  exchange.budget_key = who && !who->key_id.empty() ? who->key_id : "peer " + peer_;
  exchange.charge = context_.bodies.charge(exchange.budget_key);
  if (exchange.framing.expects_continue && in_.empty()) {
    const bool invited = co_await sendContinue();
    if (!invited) co_return false;
  }
  ChunkDecoder decoder;
  std::uint64_t left = exchange.framing.content_length;
  std::size_t size = kFirstChunk;
  bool last = false;
  std::string arriving;
  while (!last) {
    bool came = false;
    // One chunk arrives while the worker processes another.
    const BodyBudget::ChargeResult charge_result = exchange.charge.resize(2 * size);
    if (charge_result != BodyBudget::ChargeResult::kGranted) {
      while (working_) co_await changed_.wait();
      exchange.response = budgetRefusal(charge_result);
      co_return false;
    }
    if (exchange.framing.chunked) {
      came = co_await readDecodedChunk(decoder, arriving, size, last);
    } else {
      const std::uint64_t part = std::min<std::uint64_t>(size, left);
      arriving.resize(static_cast<std::size_t>(part));
      left -= part;
      last = left == 0;
      came = co_await readSizedChunk(arriving);
    }
    if (!came) {
      refuseExpiredBody();
      co_return false;
    }
    enter(Phase::kWork);
    while (working_) co_await changed_.wait();  // on the previous chunk
    if (work_dropped_ || exchange.response.status != 0 || closed_) co_return false;
    arriving.swap(exchange.upload_chunk);
    working_ = true;
    context_.workers.submit(work_, exchange.share_class);
    size = std::min(size * 2, kLargestChunk);
  }
  while (working_) co_await changed_.wait();
  co_return !work_dropped_ && exchange.response.status == 0 && !closed_;
}

/// Reads bytes until the chunk is full.
Task<bool> Session::readSizedChunk(std::string& chunk) {
  std::size_t filled = 0;
  while (filled < chunk.size()) {
    if (!in_.empty() || reading_) {  // a read started while a stream was sent before this request
      while (reading_ && in_.empty()) {
        startBodyWait();
        co_await changed_.wait();
        if (!reading_ && readFailed()) co_return false;
        countBodyBytes(in_.size());
      }
      const std::size_t part = std::min(chunk.size() - filled, in_.size());
      in_.view().copy(chunk.data() + filled, part);
      in_.consume(part);
      filled += part;
      continue;
    }
    startBodyWait();
    armRead(chunk.data() + filled, chunk.size() - filled);
    while (reading_) co_await changed_.wait();
    if (!countRead()) co_return false;
    filled += read_bytes_;
  }
  co_return true;
}

/// Reads about `size` decoded bytes, or up to the end of the body.
Task<bool> Session::readDecodedChunk(ChunkDecoder& decoder,
                                     std::string& chunk,
                                     std::size_t size,
                                     bool& last) {
  chunk.clear();
  while (chunk.size() < size) {
    const ChunkDecoder::Progress progress = decoder.feed(in_.view(), chunk, kStreamedBody);
    in_.consume(progress.used);
    last = progress.state == ChunkDecoder::State::kDone;
    if (last) co_return true;
    if (progress.state != ChunkDecoder::State::kMore) {
      exchange_->response =
          refusalOf(RequestRefusal(400, "The chunked body is malformed", "malformed"));
      co_return false;
    }
    if (chunk.size() >= size) co_return true;
    startBodyWait();
    armRead();
    while (reading_) co_await changed_.wait();
    if (!countRead()) co_return false;
  }
  co_return true;
}

void Session::uploadOnWorker() {
  Exchange& exchange = *exchange_;
  try {
    switch (exchange.upload_step) {
      case UploadStep::kTake:
        if (std::optional<Response> refusal = exchange.upload->take(exchange.upload_chunk)) {
          exchange.response = *std::move(refusal);
        }
        break;
      case UploadStep::kFinish:
        exchange.response = exchange.upload->finish();
        break;
      case UploadStep::kDrop:
        break;
    }
  } catch (const std::exception& error) {
    kLog.error("upload_failed",
               {{"request_id", exchange.request.request_id}, {"what", error.what()}});
    exchange.response = refusalResponse(500, "Internal Server Error", exchange.errors);
  }
  if (exchange.upload_step != UploadStep::kTake) exchange.upload.reset();
}

}  // namespace spindle::http
