#include <algorithm>
#include <exception>
#include <utility>

#include "base/log.h"
#include "http/chunk_decoder.h"
#include "http/exchange.h"
#include "http/session.h"

namespace spindle::http {
namespace {

constexpr Logger kLog("http");
// Chunk sizes grow with the received bytes, so that a large announced length alone costs little.
constexpr std::size_t kFirstPiece = 16 * 1024;
constexpr std::size_t kLargestPiece = 512 * 1024;

}  // namespace

/// Passes the body to the upload that the handler returned.
Task<Session::Next> Session::takeIn(std::shared_ptr<Upload> upload) {
  Exchange& exchange = *exchange_;
  exchange.upload = std::move(upload);
  exchange.response = Response();
  exchange.response.status = 0;
  bool whole = false;
  try {
    whole = co_await passBody();
  } catch (const std::exception& error) {
    kLog.error("upload_failed",
               {{"request_id", exchange.request.request_id}, {"what", error.what()}});
  }
  while (working_) co_await changed_.wait();
  exchange.body_read = whole;
  exchange.upload_step = whole ? UploadStep::kFinish : UploadStep::kDrop;
  enter(Phase::kWork);
  working_ = true;
  edge_.workers.submit(work_, exchange.share_class);
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
Task<bool> Session::passBody() {
  Exchange& exchange = *exchange_;
  exchange.upload_step = UploadStep::kTake;
  // The handler has accepted the request, by its API key or by its own token.
  const std::optional<Principal>& who = exchange.request.principal;
  exchange.budget_key = who && !who->key_id.empty() ? who->key_id : "peer " + peer_;
  exchange.charge = edge_.bodies.charge(exchange.budget_key);
  if (exchange.framing.expects_continue && in_.empty()) {
    enter(Phase::kBody, edge_.options.limits.body_timeout);
    Transport::Pieces pieces = {"HTTP/1.1 100 Continue\r\n\r\n", "", ""};
    bool sent = writeBegan(pieces);
    if (!sent) sent = co_await writeRest(pieces);
    if (!sent) co_return false;
  }
  ChunkDecoder decoder;
  std::uint64_t left = exchange.framing.content_length;
  std::size_t size = kFirstPiece;
  bool last = false;
  std::string arriving;
  while (!last) {
    bool came = false;
    // One chunk arrives while the worker processes another.
    const BodyBudget::Verdict verdict = exchange.charge.resize(2 * size);
    if (verdict != BodyBudget::Verdict::kGranted) {
      while (working_) co_await changed_.wait();
      exchange.response = budgetRefusal(verdict);
      co_return false;
    }
    if (exchange.framing.chunked) {
      came = co_await readChunks(decoder, arriving, size, last);
    } else {
      const std::uint64_t part = std::min<std::uint64_t>(size, left);
      arriving.resize(static_cast<std::size_t>(part));
      left -= part;
      last = left == 0;
      came = co_await readPiece(arriving);
    }
    if (!came) {
      if (expired_ && !closed_) {
        exchange.response =
            refusalOf(EdgeRefusal(408, "The request body came too slowly", "body_timeout"));
      }
      co_return false;
    }
    enter(Phase::kWork);
    while (working_) co_await changed_.wait();  // on the previous chunk
    if (work_dropped_ || exchange.response.status != 0 || closed_) co_return false;
    arriving.swap(exchange.upload_piece);
    working_ = true;
    edge_.workers.submit(work_, exchange.share_class);
    size = std::min(size * 2, kLargestPiece);
  }
  while (working_) co_await changed_.wait();
  co_return !work_dropped_ && exchange.response.status == 0 && !closed_;
}

/// Reads bytes until the chunk is full.
Task<bool> Session::readPiece(std::string& piece) {
  std::size_t filled = 0;
  while (filled < piece.size()) {
    if (!in_.empty() || reading_) {  // a read started while a stream was sent before this request
      while (reading_ && in_.empty()) {
        enterBody();
        co_await changed_.wait();
        if (!reading_ && readFailed()) co_return false;
        noteBody(in_.size());
      }
      const std::size_t part = std::min(piece.size() - filled, in_.size());
      in_.view().copy(piece.data() + filled, part);
      in_.consume(part);
      filled += part;
      continue;
    }
    enterBody();
    armRead(piece.data() + filled, piece.size() - filled);
    while (reading_) co_await changed_.wait();
    if (readFailed()) co_return false;
    noteBody(read_bytes_);
    filled += read_bytes_;
  }
  co_return true;
}

/// Reads about `size` decoded bytes, or up to the end of the body.
Task<bool> Session::readChunks(ChunkDecoder& decoder,
                               std::string& piece,
                               std::size_t size,
                               bool& last) {
  piece.clear();
  while (piece.size() < size) {
    const ChunkDecoder::Progress progress = decoder.feed(in_.view(), piece, kStreamedBody);
    in_.consume(progress.used);
    last = progress.state == ChunkDecoder::State::kDone;
    if (last) co_return true;
    if (progress.state != ChunkDecoder::State::kMore) {
      exchange_->response =
          refusalOf(EdgeRefusal(400, "The chunked body is malformed", "malformed"));
      co_return false;
    }
    if (piece.size() >= size) co_return true;
    enterBody();
    armRead();
    while (reading_) co_await changed_.wait();
    if (readFailed()) co_return false;
    noteBody(read_bytes_);
  }
  co_return true;
}

void Session::uploadOnWorker() {
  Exchange& exchange = *exchange_;
  try {
    switch (exchange.upload_step) {
      case UploadStep::kTake:
        if (std::optional<Response> refusal = exchange.upload->take(exchange.upload_piece)) {
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
