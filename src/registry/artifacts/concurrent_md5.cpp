#include "registry/artifacts/concurrent_md5.h"

namespace spindle::registry {

ConcurrentMd5::ConcurrentMd5(bool concurrent) {
  if (concurrent) thread_ = std::thread([this] { work(); });
}

ConcurrentMd5::~ConcurrentMd5() {
  if (!thread_.joinable()) return;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notifyAll();
  }
  thread_.join();
}

void ConcurrentMd5::begin(std::string_view bytes) {
  if (!thread_.joinable()) {
    hash_.add(bytes);
    return;
  }
  const MutexLock lock(mutex_);
  piece_ = bytes;
  busy_ = true;
  changed_.notifyAll();
}

void ConcurrentMd5::wait() {
  if (!thread_.joinable()) return;
  const MutexLock lock(mutex_);
  while (busy_) changed_.wait(mutex_);
}

void ConcurrentMd5::work() {
  while (true) {
    std::string_view piece;
    {
      const MutexLock lock(mutex_);
      while (!busy_ && !stopping_) changed_.wait(mutex_);
      if (!busy_) return;
      piece = piece_;
    }
    hash_.add(piece);
    const MutexLock lock(mutex_);
    busy_ = false;
    changed_.notifyAll();
  }
}

}  // namespace spindle::registry
