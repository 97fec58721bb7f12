#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/sql_text.h"

namespace spindle::columnar {

class Connection;

/// The catalog of recent rows, in memory, and that of the file.
inline constexpr SqlView kRecentCatalog = "memory.main";
inline constexpr SqlView kStoredCatalog = "stored.main";

/// What an operator can do about a store that does not open; the end of a message.
inline constexpr std::string_view kDamageAdvice =
    " If traces.duckdb is damaged, restore it from a backup (spindle restore); or move its folder "
    "away to start with an empty trace store.";

struct EngineOptions {
  std::string file;
  std::string spill_folder;
  std::size_t memory_bytes = 400UL << 20;
  std::size_t spill_bytes = 16UL << 30;
  std::size_t threads = 2;
  bool read_only = false;  ///< the file must exist and is not changed
};

/// One DuckDB in this process: a database in memory with a file attached to it. Reaches no other
/// file and loads nothing. Checkpoints only when told to. Thread-safe; outlives its connections.
class Engine {
 public:
  /// @throws std::runtime_error with a message for the operator.
  explicit Engine(const EngineOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// @throws std::runtime_error
  std::unique_ptr<Connection> connect();

  /// True once DuckDB has met an error after which it refuses all work: everything has to be opened
  /// again.
  bool failed() const { return failed_.load(std::memory_order_relaxed); }

  /// What an error of DuckDB means to a caller; remembers a fatal one. `type` is DuckDB's.
  Error errorOf(int type, std::string_view message);

 private:
  struct Handle;

  std::unique_ptr<Handle> handle_;
  std::atomic<bool> failed_{false};
};

}  // namespace spindle::columnar
