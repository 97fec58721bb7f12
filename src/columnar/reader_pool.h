#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "columnar/connection.h"

namespace spindle::columnar {

/// A connection for snapshots, with what it takes to begin one.
class Reader {
 public:
  explicit Reader(Engine& engine);

  /// Begins a transaction and fixes its view in memory.
  Result<void> begin();
  /// Fixes its view of the file.
  Result<void> fixStored();
  /// Ends the transaction. @return false when the connection is of no more use.
  bool end();

  Connection& connection() { return *connection_; }

 private:
  std::unique_ptr<Connection> connection_;
  Statement begin_;
  Statement end_;
  Statement fix_recent_;
  Statement fix_stored_;
};

/// So many readers, made when first needed and kept. Thread-safe.
class ReaderPool {
 public:
  ReaderPool(Engine& engine, std::size_t size) : engine_(engine), free_places_(size) {}

  /// @return kUnavailable when none came free in time.
  Result<std::unique_ptr<Reader>> borrow(std::chrono::milliseconds patience);
  /// Null when the reader is of no more use: the place becomes free all the same.
  void giveBack(std::unique_ptr<Reader> reader);

 private:
  Engine& engine_;
  Mutex mutex_;
  Condition freed_;
  std::size_t free_places_ SPINDLE_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Reader>> idle_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::columnar
