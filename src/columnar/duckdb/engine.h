#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/error.h"
#include "base/core/opaque.h"
#include "base/core/result.h"
#include "base/core/sql_text.h"

namespace spindle::columnar {

class Connection;

/// Names of the in-memory catalog of recent rows and of the catalog of the file.
inline constexpr SqlView kRecentCatalog = "memory.main";
inline constexpr SqlView kStoredCatalog = "stored.main";

/// Advice for an operator whose store does not open; the end of an error message.
inline constexpr std::string_view kDamageAdvice =
    " If traces.duckdb is damaged, restore it from a backup (spindle restore); or move its folder "
    "away to start with an empty trace store.";

struct EngineOptions {
  std::string file;
  std::string spill_folder;
  std::size_t memory_bytes = 400UL << 20;
  std::size_t spill_bytes = 16UL << 30;
  std::size_t threads = 2;
  bool read_only = false;  ///< the file must exist and is not modified
};

/// One DuckDB instance: an in-memory database with one attached file. Accesses no other file, loads
/// no extension, and checkpoints only on request. Thread-safe; must outlive its connections.
class Engine {
 public:
  /// @throws std::runtime_error with a message for the operator.
  explicit Engine(const EngineOptions& options);

  /// @throws std::runtime_error
  std::unique_ptr<Connection> connect();

  /// Detaches the file and attaches it again, which frees the descriptions of its row groups:
  /// DuckDB keeps those that were written or read, and loads them again on demand. Requires that no
  /// transaction uses the file, on any connection; a statement that was not read to its end has
  /// one. @return an error, after which failed() may be true.
  Result<void> reattach(Connection& connection);

  /// Returns true after a DuckDB error that makes DuckDB refuse all further work. The store must
  /// then be reopened.
  bool failed() const { return failed_.load(std::memory_order_relaxed); }

  /// Translates a DuckDB error for callers and records a fatal one. `type` is DuckDB's error type.
  Error errorOf(int type, std::string_view message);

 private:
  struct Handle;

  const std::string file_;
  OpaquePtr<Handle> handle_;
  std::atomic<bool> failed_{false};
};

}  // namespace spindle::columnar
