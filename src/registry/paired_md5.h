#pragma once

#include <string_view>
#include <thread>

#include "base/md5.h"
#include "base/mutex.h"

namespace spindle::registry {

/// MD5 of bytes that come in pieces, worked out beside what the caller does with the same piece:
/// begin(), do the other thing, wait(). For one caller.
class PairedMd5 {
 public:
  /// `beside` gives it a thread of its own; else begin() does the work.
  explicit PairedMd5(bool beside);
  ~PairedMd5();
  PairedMd5(const PairedMd5&) = delete;
  PairedMd5& operator=(const PairedMd5&) = delete;

  /// The bytes must stay as they are until wait() returns.
  void begin(std::string_view bytes);
  void wait();
  /// Ends the stream: nothing more may be added.
  Md5 finish() { return hash_.finish(); }

 private:
  void work();

  Md5Stream hash_;  // of the thread between begin() and wait()
  Mutex mutex_;
  Condition changed_;
  std::string_view piece_ SPINDLE_GUARDED_BY(mutex_);
  bool busy_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace spindle::registry
