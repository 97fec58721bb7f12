#pragma once

#include <string_view>
#include <thread>

#include "base/core/mutex.h"
#include "base/crypto/md5.h"

namespace spindle::registry {

/// Computes the MD5 of chunks on its own thread, while the caller processes the same chunk: call
/// begin(), process the chunk, call wait(). Only one thread may call it.
class ConcurrentMd5 {
 public:
  /// `concurrent`: use a separate thread; otherwise begin() computes the MD5.
  explicit ConcurrentMd5(bool concurrent);
  ~ConcurrentMd5();
  ConcurrentMd5(const ConcurrentMd5&) = delete;
  ConcurrentMd5& operator=(const ConcurrentMd5&) = delete;

  /// Adds a chunk. The bytes must stay valid and unchanged until wait() returns.
  void begin(std::string_view bytes);
  void wait();
  /// Returns the MD5. No call of begin() is allowed afterwards.
  Md5 finish() { return hash_.finish(); }

 private:
  void work();

  Md5Stream hash_;  // only the thread uses it between begin() and wait()
  Mutex mutex_;
  Condition changed_;
  std::string_view piece_ SPINDLE_GUARDED_BY(mutex_);
  bool busy_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // declared last, because it uses the members above
};

}  // namespace spindle::registry
