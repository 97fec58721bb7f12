#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "base/result.h"
#include "storage/connection.h"

namespace spindle::storage {

class ConnectionPool;

/// A connection lent by a pool; gives it back when it dies.
class Lease {
 public:
  Lease(ConnectionPool& pool, std::unique_ptr<Connection> connection)
      : pool_(&pool), connection_(std::move(connection)) {}
  Lease(Lease&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), connection_(std::move(other.connection_)) {}
  Lease& operator=(Lease&&) = delete;
  ~Lease();

  Connection& operator*() const { return *connection_; }
  Connection* operator->() const { return connection_.get(); }

 private:
  ConnectionPool* pool_;
  std::unique_ptr<Connection> connection_;
};

/// At most `size` connections, opened when first needed and kept. Whoever has waited longest is
/// served first. A connection that comes back lost is closed; the next borrower opens a new one.
/// Thread-safe. Outlives its leases.
class ConnectionPool {
 public:
  /// Opens one connection, or says kUnavailable.
  using Opener = std::function<Result<std::unique_ptr<Connection>>()>;

  /// `kind` labels the pool's metrics.
  ConnectionPool(std::size_t size, Opener open, std::string_view kind, MetricRegistry& metrics);
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  /// Waits for a free place, up to `patience`. @return kUnavailable when none came free in time or
  /// the database is out of reach.
  Result<Lease> borrow(std::chrono::milliseconds patience);

 private:
  friend class Lease;
  struct Waiter {
    Condition served_signal;
    bool served = false;
  };

  Result<void> takePlace(std::chrono::milliseconds patience);
  void giveBack(std::unique_ptr<Connection> connection) noexcept;

  const Opener open_;
  Gauge& in_use_;

  Mutex mutex_;
  std::size_t free_places_ SPINDLE_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Connection>> idle_ SPINDLE_GUARDED_BY(mutex_);
  std::deque<Waiter*> waiting_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::storage
