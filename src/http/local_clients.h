#pragma once

#include <memory>
#include <vector>

#include "base/mutex.h"
#include "http/client.h"

namespace spindle::http {

/// A client for each I/O thread of a server: what a request there leads to is asked and answered on
/// the thread that the request is on, without waking another. And one with a thread of its own for
/// whoever is on none of them. Thread-safe; give it to the server through ServerOptions, which it
/// must outlive.
class LocalClients {
 public:
  explicit LocalClients(ClientOptions options);
  ~LocalClients();
  LocalClients(const LocalClients&) = delete;
  LocalClients& operator=(const LocalClients&) = delete;

  /// The one of this thread.
  Client& here();

  // For the server, on each of its I/O threads.
  void arrive(IoThread& thread);
  void leave();
  /// When the threads have stopped.
  void clear();

 private:
  const ClientOptions options_;
  Client elsewhere_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Client>> clients_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::http
