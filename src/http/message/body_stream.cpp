#include "http/message/body_stream.h"

#include <utility>

#include "base/core/mutex.h"

namespace spindle::http {

BodyStream::State PulledBody::next(std::string& chunk) {
  const State state = pull_(chunk);
  // A pulled body has no wake-up: the session would wait forever.
  return state == State::kWait ? State::kBroken : state;
}

struct PushedBody::Shared {
  explicit Shared(std::size_t capacity_bytes) : capacity(capacity_bytes) {}

  bool fits(std::size_t size) const SPINDLE_REQUIRES(mutex) {
    return buffer.empty() || buffer.size() + size <= capacity;
  }

  const std::size_t capacity;
  mutable Mutex mutex;
  Condition space;
  std::string buffer SPINDLE_GUARDED_BY(mutex);
  bool finished SPINDLE_GUARDED_BY(mutex) = false;
  bool failed SPINDLE_GUARDED_BY(mutex) = false;
  bool cancelled SPINDLE_GUARDED_BY(mutex) = false;
  bool reader_waits SPINDLE_GUARDED_BY(mutex) = false;
  bool writer_waits SPINDLE_GUARDED_BY(mutex) = false;
  std::function<void()> ready_wake SPINDLE_GUARDED_BY(mutex);
  std::function<void()> space_wake SPINDLE_GUARDED_BY(mutex);

  /// Returns the callback to call after unlocking: a callback may call this object again.
  std::function<void()> takeReadyWake() SPINDLE_REQUIRES(mutex) {
    if (!std::exchange(reader_waits, false)) return {};
    return ready_wake;
  }
  std::function<void()> takeSpaceWake() SPINDLE_REQUIRES(mutex) {
    if (!std::exchange(writer_waits, false)) return {};
    return space_wake;
  }
};

PushedBody::PushedBody(std::size_t capacity_bytes)
    : shared_(std::make_unique<Shared>(capacity_bytes)) {}
PushedBody::~PushedBody() = default;

bool PushedBody::tryPush(std::string_view bytes) {
  std::function<void()> wake;
  {
    const MutexLock lock(shared_->mutex);
    if (shared_->cancelled || shared_->finished) return false;
    if (!shared_->fits(bytes.size())) {
      shared_->writer_waits = true;
      return false;
    }
    shared_->buffer += bytes;
    wake = shared_->takeReadyWake();
  }
  if (wake) wake();
  return true;
}

bool PushedBody::push(std::string_view bytes) {
  std::function<void()> wake;
  {
    const MutexLock lock(shared_->mutex);
    while (!shared_->cancelled && !shared_->finished && !shared_->fits(bytes.size())) {
      shared_->space.wait(shared_->mutex);
    }
    if (shared_->cancelled || shared_->finished) return false;
    shared_->buffer += bytes;
    wake = shared_->takeReadyWake();
  }
  if (wake) wake();
  return true;
}

void PushedBody::finish() {
  std::function<void()> wake;
  {
    const MutexLock lock(shared_->mutex);
    shared_->finished = true;
    wake = shared_->takeReadyWake();
  }
  if (wake) wake();
}

void PushedBody::fail() {
  std::function<void()> wake;
  {
    const MutexLock lock(shared_->mutex);
    if (shared_->finished) return;
    shared_->finished = true;
    shared_->failed = true;
    wake = shared_->takeReadyWake();
  }
  if (wake) wake();
}

void PushedBody::onSpace(std::function<void()> wake) {
  const MutexLock lock(shared_->mutex);
  shared_->space_wake = std::move(wake);
}

bool PushedBody::cancelled() const {
  const MutexLock lock(shared_->mutex);
  return shared_->cancelled;
}

BodyStream::State PushedBody::next(std::string& chunk) {
  std::function<void()> wake;
  {
    const MutexLock lock(shared_->mutex);
    if (shared_->buffer.empty()) {
      if (shared_->finished) return shared_->failed ? State::kBroken : State::kEnd;
      shared_->reader_waits = true;
      return State::kWait;
    }
    chunk.clear();
    chunk.swap(shared_->buffer);
    wake = shared_->takeSpaceWake();
    shared_->space.notifyAll();
  }
  if (wake) wake();
  return State::kChunk;
}

void PushedBody::onReady(std::function<void()> wake) {
  const MutexLock lock(shared_->mutex);
  shared_->ready_wake = std::move(wake);
}

void PushedBody::cancel() {
  std::function<void()> wake;
  {
    const MutexLock lock(shared_->mutex);
    shared_->cancelled = true;
    shared_->buffer.clear();
    wake = shared_->space_wake;
    shared_->space.notifyAll();
  }
  if (wake) wake();
}

}  // namespace spindle::http
