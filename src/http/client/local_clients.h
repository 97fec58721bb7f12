#pragma once

#include <memory>
#include <vector>

#include "base/core/mutex.h"
#include "http/client/client.h"

namespace spindle::http {

/// One HTTP client per I/O thread of a server, so that an upstream request runs on the thread of
/// the request that caused it and wakes no other thread. All other threads share one client with
/// its own I/O thread. Thread-safe. Pass it to the server in ServerOptions; it must outlive the
/// server.
class LocalClients {
 public:
  explicit LocalClients(ClientOptions options);

  /// Returns the client of the current thread.
  Client& current();

  // For the server, on each of its I/O threads.
  void attach(IoThread& thread);
  void detach();
  /// Destroys the clients, after the threads have stopped.
  void clear();

 private:
  const ClientOptions options_;
  Client shared_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Client>> clients_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::http
