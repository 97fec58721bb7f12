#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "columnar/duckdb/connection.h"

namespace spindle::columnar {

/// A connection for snapshots, with prepared statements that begin and end one.
class Reader {
 public:
  explicit Reader(Engine& engine);

  /// Begins a transaction and fixes its view of the in-memory tables.
  Result<void> begin();
  /// Fixes the transaction's view of the file.
  Result<void> fixStored();
  /// Ends the transaction. @return false if the connection is unusable.
  bool end();

  Connection& connection() { return *connection_; }

 private:
  std::unique_ptr<Connection> connection_;
  Statement begin_;
  Statement end_;
  Statement fix_recent_;
  Statement fix_stored_;
};

/// A pool of at most `size` readers, created on demand. Thread-safe.
class ReaderPool {
 public:
  ReaderPool(Engine& engine, std::size_t size) : engine_(engine), free_places_(size) {}

  /// Blocks until a reader is free. @return kUnavailable when none is free in time.
  Result<std::unique_ptr<Reader>> borrow(std::chrono::milliseconds timeout);
  /// Returns a reader to the pool. Pass null for an unusable reader; its slot becomes free again.
  void giveBack(std::unique_ptr<Reader> reader);

 private:
  Engine& engine_;
  Mutex mutex_;
  Condition freed_;
  std::size_t free_places_ SPINDLE_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Reader>> idle_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::columnar
