#include "clickhouse/client/response_stream.h"

#include <limits>
#include <optional>
#include <utility>

namespace spindle::clickhouse {

struct ResponseStream::Shared {
  explicit Shared(std::size_t most) : limit(most) {}

  const std::size_t limit;
  Mutex mutex;
  Condition changed;
  std::optional<http::Response> head SPINDLE_GUARDED_BY(mutex);
  std::string bytes SPINDLE_GUARDED_BY(mutex);
  bool paused SPINDLE_GUARDED_BY(mutex) = false;
  std::optional<Result<void>> outcome SPINDLE_GUARDED_BY(mutex);
};

ResponseStream::ResponseStream(http::Client& client,
                               http::ClientRequest request,
                               std::size_t buffered_bytes)
    : shared_(std::make_shared<Shared>(buffered_bytes)) {
  http::StreamHandler handler;
  handler.on_head = [shared = shared_](const http::Response& head) {
    const MutexLock lock(shared->mutex);
    shared->head = head;
    shared->changed.notifyAll();
  };
  handler.on_bytes = [shared = shared_](std::string_view bytes) {
    const MutexLock lock(shared->mutex);
    shared->bytes += bytes;
    shared->paused = shared->bytes.size() >= shared->limit;
    shared->changed.notifyAll();
    return !shared->paused;
  };
  handler.on_end = [shared = shared_](Result<void> outcome) {
    const MutexLock lock(shared->mutex);
    shared->outcome = std::move(outcome);
    shared->changed.notifyAll();
  };
  exchange_ = client.stream(std::move(request), std::move(handler));
}

ResponseStream::~ResponseStream() {
  bool ended = false;
  {
    const MutexLock lock(shared_->mutex);
    ended = shared_->outcome.has_value();
  }
  if (!ended) exchange_->cancel();
}

Result<void> ResponseStream::awaitHead() {
  {
    const MutexLock lock(shared_->mutex);
    while (!shared_->head && !shared_->outcome) shared_->changed.wait(shared_->mutex);
    if (!shared_->head) {
      if (!*shared_->outcome) return shared_->outcome->error();
      return Error(ErrorCode::kUpstream, "The response has no head.");
    }
    head_ = *shared_->head;
  }
  const std::optional<http::Coding> coding = http::codingOf(head_.headers.get("Content-Encoding"));
  if (!coding) return Error(ErrorCode::kUpstream, "The response has an unknown content encoding.");
  if (*coding != http::Coding::kIdentity) decoder_ = http::Decoder::make(*coding);
  return {};
}

Result<bool> ResponseStream::read(std::string& out) {
  std::string bytes;
  bool resumes = false;
  {
    const MutexLock lock(shared_->mutex);
    while (shared_->bytes.empty() && !shared_->outcome) shared_->changed.wait(shared_->mutex);
    if (shared_->bytes.empty()) {
      if (!*shared_->outcome) return shared_->outcome->error();
      if (!decoder_) return false;
      const std::unique_ptr<http::Decoder> decoder = std::move(decoder_);
      if (!decoder->finish())
        return Error(ErrorCode::kUpstream, "The response has an invalid content encoding.");
      return false;
    }
    bytes.swap(shared_->bytes);
    resumes = std::exchange(shared_->paused, false);
  }
  if (resumes) exchange_->resume();
  if (!decoder_) {
    out += bytes;
    return true;
  }
  // One buffer of compressed bytes; what it decodes to is limited by the reader's value limit.
  constexpr std::size_t kMostDecoded = 1UL << 30;
  if (!decoder_->feed(bytes, out, out.size() + kMostDecoded))
    return Error(ErrorCode::kUpstream, "The response has an invalid content encoding.");
  return true;
}

}  // namespace spindle::clickhouse
