#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/core/metrics.h"
#include "base/core/mutex.h"
#include "base/core/result.h"
#include "storage/database/connection.h"

namespace spindle::storage {

class ConnectionPool;

/// A connection borrowed from a pool. The destructor returns it.
class PooledConnection {
 public:
  PooledConnection(ConnectionPool& pool, std::unique_ptr<Connection> connection)
      : pool_(&pool), connection_(std::move(connection)) {}
  PooledConnection(PooledConnection&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), connection_(std::move(other.connection_)) {}
  PooledConnection& operator=(PooledConnection&&) = delete;
  ~PooledConnection();

  Connection& operator*() const { return *connection_; }
  Connection* operator->() const { return connection_.get(); }

 private:
  ConnectionPool* pool_;
  std::unique_ptr<Connection> connection_;
};

/// Pool of at most `size` connections. It opens a connection on first use and keeps it. The longest
/// waiting caller is served first. A lost connection is closed on return; the next borrower opens a
/// new one. Thread-safe. The pool must outlive the connections that it lends.
class ConnectionPool {
 public:
  /// Opens one connection, or returns kUnavailable.
  using Opener = std::function<Result<std::unique_ptr<Connection>>()>;

  /// `kind` labels the pool's metrics.
  ConnectionPool(std::size_t size, Opener open, std::string_view kind, MetricRegistry& metrics);
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  /// Blocks until a connection is free, at most for the timeout.
  /// @return kUnavailable if none became free in time or the database is unreachable.
  Result<PooledConnection> borrow(std::chrono::milliseconds timeout);

 private:
  friend class PooledConnection;
  struct Waiter {
    Condition served_signal;
    bool served = false;
  };

  Result<void> acquireSlot(std::chrono::milliseconds timeout);
  void release(std::unique_ptr<Connection> connection) noexcept;

  const Opener open_;
  Gauge& in_use_;

  Mutex mutex_;
  std::size_t free_slots_ SPINDLE_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Connection>> idle_ SPINDLE_GUARDED_BY(mutex_);
  std::deque<Waiter*> waiting_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::storage
