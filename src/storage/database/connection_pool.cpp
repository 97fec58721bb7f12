#include "storage/database/connection_pool.h"

#include <algorithm>
#include <utility>

namespace spindle::storage {

PooledConnection::~PooledConnection() {
  if (pool_ != nullptr) pool_->release(std::move(connection_));
}

ConnectionPool::ConnectionPool(std::size_t size,
                               Opener open,
                               std::string_view kind,
                               MetricRegistry& metrics)
    : open_(std::move(open)),
      in_use_(metrics.gauge("spindle_storage_connections_in_use",
                            "Database connections in use.",
                            {{"kind", std::string(kind)}})),
      free_slots_(size) {
  idle_.reserve(size);  // so that release() cannot fail
  metrics
      .gauge("spindle_storage_connections_max", "Maximum number of database connections.",
             {{"kind", std::string(kind)}})
      .set(static_cast<std::int64_t>(size));
}

Result<PooledConnection> ConnectionPool::borrow(std::chrono::milliseconds timeout) {
  TRY(acquireSlot(timeout));
  in_use_.add(1);
  std::unique_ptr<Connection> connection;
  {
    const MutexLock lock(mutex_);
    if (!idle_.empty()) {
      connection = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (connection != nullptr) return PooledConnection(*this, std::move(connection));
  Result<std::unique_ptr<Connection>> opened = open_();
  if (!opened) {
    release(nullptr);
    return std::move(opened).error();
  }
  return PooledConnection(*this, *std::move(opened));
}

Result<void> ConnectionPool::acquireSlot(std::chrono::milliseconds timeout) {
  const MutexLock lock(mutex_);
  if (free_slots_ > 0) {
    --free_slots_;
    return {};
  }
  Waiter self;
  waiting_.push_back(&self);
  const auto until = std::chrono::steady_clock::now() + timeout;
  while (!self.served) {
    const std::chrono::nanoseconds left = until - std::chrono::steady_clock::now();
    if (left.count() <= 0) {
      waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &self));
      return Error::unavailable("The database is busy; try again.");
    }
    self.served_signal.waitFor(mutex_, left);
  }
  return {};
}

void ConnectionPool::release(std::unique_ptr<Connection> connection) noexcept {
  in_use_.add(-1);
  if (connection != nullptr && connection->fault() == TransactionFault::kConnectionLost)
    connection.reset();
  const MutexLock lock(mutex_);
  if (connection != nullptr) idle_.push_back(std::move(connection));
  if (waiting_.empty()) {
    ++free_slots_;
    return;
  }
  // Hand the slot directly to the longest waiting caller, so that no other caller can take it.
  // Signal under the lock, because the waiter destroys the condition as soon as it has seen
  // `served`.
  Waiter* next = waiting_.front();
  waiting_.pop_front();
  next->served = true;
  next->served_signal.notifyOne();
}

}  // namespace spindle::storage
