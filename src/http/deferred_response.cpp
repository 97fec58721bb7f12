#include "http/deferred_response.h"

#include <utility>

namespace spindle::http {

bool DeferredResponse::give(Response response) {
  std::function<void()> wake;
  std::function<void()> forgotten;  // may own the producer: destroy it outside the lock
  {
    const MutexLock lock(mutex_);
    if (response_ || gone_) return false;
    response_ = std::move(response);
    wake = std::exchange(wake_, nullptr);
    forgotten = std::exchange(tell_gone_, nullptr);
  }
  if (wake) wake();
  return true;
}

void DeferredResponse::onGone(std::function<void()> tell) {
  {
    const MutexLock lock(mutex_);
    if (response_) return;
    if (!gone_) {
      tell_gone_ = std::move(tell);
      return;
    }
  }
  tell();
}

void DeferredResponse::onGiven(std::function<void()> wake) {
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
  std::function<void()> tell;
  std::function<void()> forgotten;
  {
    const MutexLock lock(mutex_);
    if (response_ || gone_) return;
    gone_ = true;
    forgotten = std::exchange(wake_, nullptr);
    tell = std::exchange(tell_gone_, nullptr);
  }
  if (tell) tell();
}

}  // namespace spindle::http
