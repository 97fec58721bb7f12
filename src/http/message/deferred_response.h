#pragma once

#include <functional>
#include <optional>

#include "base/core/mutex.h"
#include "http/message/message.h"

namespace spindle::http {

/// A response that a producer completes later, from any thread. A handler returns it in its
/// Response, which frees the worker; the session waits without a thread. Thread-safe; shared by the
/// producer and one session.
class DeferredResponse {
 public:
  /// Sets the response, complete or streamed (not deferred again). The first call wins.
  /// @return false if a response was already set or the client has disconnected.
  bool complete(Response response);

  /// Sets the callback that is called once if the client disconnects before give(); immediately if
  /// it already has. Runs on an I/O thread: must not block. Not called after a successful give().
  void onDisconnect(std::function<void()> callback);

  // For the session.

  /// Sets the callback for the response; called immediately if the response is already set.
  void onResponse(std::function<void()> wake);
  bool given() const;
  /// Returns the response. Requires given().
  Response take();
  /// Signals that the client disconnected or the server stops. No effect after give().
  void abandon();

 private:
  mutable Mutex mutex_;
  std::optional<Response> response_ SPINDLE_GUARDED_BY(mutex_);
  bool disconnected_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::function<void()> wake_ SPINDLE_GUARDED_BY(mutex_);
  std::function<void()> on_disconnect_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::http
