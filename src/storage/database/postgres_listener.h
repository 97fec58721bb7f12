#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>
#include <thread>

#include "base/crypto/secret.h"

namespace spindle::storage {

/// Receives the messages of Session::notify() from all processes with the same PostgreSQL schema,
/// on a connection and a thread of its own. Reconnects after a failure. Internal to storage.
///
/// A query twice a second shows that the connection works: messages that were committed before the
/// query arrive before its result.
class PostgresListener {
 public:
  /// Maximum age of that proof. isCurrent() returns false when it is older.
  static constexpr std::chrono::milliseconds kMaxDelay{2'000};

  /// Called on the thread of the listener. Must not block.
  struct Callbacks {
    std::function<void(std::string_view topic, std::string_view text)> received;
    /// A connection listens: earlier messages may have been lost.
    std::function<void()> connected;
  };

  PostgresListener(Secret connection, Callbacks callbacks);
  /// Calls stop().
  ~PostgresListener();
  PostgresListener(const PostgresListener&) = delete;
  PostgresListener& operator=(const PostgresListener&) = delete;

  /// Ends the thread; nothing is received afterwards. Blocks for up to the connect timeout.
  void stop();

  /// Returns true if every message that was committed more than kMaxDelay ago has been received.
  /// Costs an atomic load and a look at the clock.
  bool isCurrent() const;

 private:
  class Session;

  void run(const std::stop_token& stop);
  /// Waits, unless the listener stops.
  void pause(const std::stop_token& stop, std::chrono::milliseconds time) const;

  const Secret connection_;
  const Callbacks callbacks_;
  const int wake_;  ///< event descriptor that ends waits at the stop
  /// Time of the latest query that was answered, in ticks of the steady clock; 0: none.
  std::atomic<std::int64_t> proven_{0};
  std::jthread thread_;
};

}  // namespace spindle::storage
