#include "http/message/deferred_response.h"

#include <utility>

namespace spindle::http {

bool DeferredResponse::complete(Response response) {
  std::function<void()> wake;
  std::function<void()> forgotten;  // may own the producer: destroy it outside the lock
  {
    const MutexLock lock(mutex_);
    if (response_ || disconnected_) return false;
    response_ = std::move(response);
    wake = std::exchange(wake_, nullptr);
    forgotten = std::exchange(on_disconnect_, nullptr);
  }
  if (wake) wake();
  return true;
}

void DeferredResponse::onDisconnect(std::function<void()> callback) {
  {
    const MutexLock lock(mutex_);
    if (response_) return;
    if (!disconnected_) {
      on_disconnect_ = std::move(callback);
      return;
    }
  }
  callback();
}

void DeferredResponse::onResponse(std::function<void()> wake) {
  {
    const MutexLock lock(mutex_);
    if (!response_) {
      wake_ = std::move(wake);
      return;
    }
  }
  wake();
}

bool DeferredResponse::given() const {
  const MutexLock lock(mutex_);
  return response_.has_value();
}

Response DeferredResponse::take() {
  const MutexLock lock(mutex_);
  return std::move(*response_);
}

void DeferredResponse::abandon() {
  std::function<void()> callback;
  std::function<void()> forgotten;
  {
    const MutexLock lock(mutex_);
    if (response_ || disconnected_) return;
    disconnected_ = true;
    forgotten = std::exchange(wake_, nullptr);
    callback = std::exchange(on_disconnect_, nullptr);
  }
  if (callback) callback();
}

}  // namespace spindle::http
