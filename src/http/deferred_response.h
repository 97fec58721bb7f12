#pragma once

#include <functional>
#include <optional>

#include "base/mutex.h"
#include "http/message.h"

namespace spindle::http {

/// An answer that comes later, from any thread: a handler returns it inside its Response and its
/// worker is free again, while the session waits without a thread. Thread-safe; shared by the
/// producer and one session.
class DeferredResponse {
 public:
  /// The answer, whole or streamed (not deferred once more). The first one counts; @return false
  /// when there was one, or the client is gone.
  bool give(Response response);

  /// Sets what to call, once, when the client goes before an answer was given; at once when it has
  /// gone. Called on an I/O thread: must not block. Whoever gave the answer hears no more here.
  void onGone(std::function<void()> tell);

  // For the session.

  /// Sets what to call when the answer is there; at once when it is.
  void onGiven(std::function<void()> wake);
  bool given() const;
  /// The answer, once given() is true.
  Response take();
  /// The client went away, or the server stops. Of no effect once an answer was given.
  void abandon();

 private:
  mutable Mutex mutex_;
  std::optional<Response> response_ SPINDLE_GUARDED_BY(mutex_);
  bool gone_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::function<void()> wake_ SPINDLE_GUARDED_BY(mutex_);
  std::function<void()> tell_gone_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::http
