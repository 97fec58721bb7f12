#include "columnar/duckdb/engine.h"

#include <filesystem>
#include <stdexcept>
#include <utility>

#include <duckdb.h>

#include "base/core/log.h"
#include "columnar/duckdb/connection.h"
#include "columnar/journal/disk_space.h"
#include "columnar/journal/file.h"
#include "columnar/journal/numbers.h"

namespace spindle::columnar {
namespace {

constexpr Logger kLog("columnar");

class Config {
 public:
  Config() {
    if (duckdb_create_config(&config_) != DuckDBSuccess) {
      throw std::runtime_error("cannot configure DuckDB");
    }
  }
  ~Config() { duckdb_destroy_config(&config_); }
  Config(const Config&) = delete;
  Config& operator=(const Config&) = delete;

  void set(const char* name, const std::string& value) {
    if (duckdb_set_config(config_, name, value.c_str()) != DuckDBSuccess) {
      throw std::runtime_error(std::string("DuckDB rejects the setting ") + name + " = " + value);
    }
  }
  duckdb_config get() const { return config_; }

 private:
  duckdb_config config_ = nullptr;
};

Error storageError(std::string_view message) {
  kLog.error("storage_failed", {{"message", message}});
  for (const std::string_view full : {"No space left", "Disk quota", "File too large"}) {
    if (message.find(full) != std::string_view::npos) return diskFull();
  }
  return Error::unavailable("The trace store cannot read or write its files.");
}

void runOrThrow(Connection& connection, SqlView sql, const std::string& what) {
  if (const Result<void> done = connection.execute(sql); !done) {
    throw std::runtime_error(what + ": " + done.error().message());
  }
}

SqlText quotedPath(const std::string& file) {
  const std::optional<SqlText> name = SqlText::fileName(file);
  if (!name) throw std::runtime_error("the path of the trace store contains U+0000");
  return *name;
}

SqlText attach(const std::string& file, bool read_only = false) {
  SqlText sql = "ATTACH " + quotedPath(file) + " AS stored (";
  if (read_only) return sql + "READ_ONLY)";
  return sql + "ROW_GROUP_SIZE " + SqlText::number(kRowGroupRows) + ")";
}

/// Creates the file under a temporary name, because DuckDB writes a new file in several steps and
/// treats an incomplete one as damaged.
void createWhole(Connection& connection, const std::string& file) {
  const std::string unfinished = file + ".new";
  for (const std::string& left : {unfinished, unfinished + ".wal"}) {
    std::filesystem::remove(left);
  }
  const std::string what = "cannot create " + file;
  runOrThrow(connection, attach(unfinished), what);
  runOrThrow(connection, "DETACH stored", what);
  publishFile(unfinished, file);
}

/// Attaches the file. Sets aside a log that DuckDB cannot replay: its rows are also in the
/// journals, which stay until a checkpoint has moved their rows into the file itself.
void attachWithoutDamagedLog(Connection& connection, const std::string& file) {
  const Result<void> attached = connection.execute(attach(file));
  if (attached) return;
  const std::string failure =
      "cannot open " + file + ": " + attached.error().message() + std::string(kDamageAdvice);
  const std::string log = file + ".wal";
  if (!std::filesystem::exists(log)) throw std::runtime_error(failure);
  const std::string aside = moveToDamaged(log);
  if (const Result<void> again = connection.execute(attach(file)); !again) {
    std::filesystem::rename(aside, log);
    throw std::runtime_error(failure);
  }
  kLog.error("log_damaged", {{"message", attached.error().message()}, {"kept_as", aside}});
}

}  // namespace

struct Engine::Handle {
  Handle() = default;
  ~Handle() { duckdb_close(&database); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  duckdb_database database = nullptr;
};

Engine::Engine(const EngineOptions& options)
    : file_(options.file), handle_(opaque(std::make_unique<Handle>())) {
  Config config;
  config.set("memory_limit", std::to_string(options.memory_bytes) + "B");
  config.set("threads", std::to_string(options.threads));
  config.set("temp_directory", options.spill_folder);
  config.set("max_temp_directory_size", std::to_string(options.spill_bytes) + "B");
  config.set("preserve_insertion_order", "false");
  config.set("autoinstall_known_extensions", "false");
  config.set("autoload_known_extensions", "false");
  config.set("checkpoint_threshold", "1TB");
  char* problem = nullptr;
  if (duckdb_open_ext(nullptr, &handle_->database, config.get(), &problem) != DuckDBSuccess) {
    const std::string why = problem == nullptr ? "unknown" : problem;
    duckdb_free(problem);
    throw std::runtime_error("cannot start DuckDB: " + why);
  }
  const std::unique_ptr<Connection> connection = connect();
  if (options.read_only) {
    runOrThrow(*connection, attach(options.file, true), "cannot open " + options.file);
  } else {
    if (!std::filesystem::exists(options.file)) createWhole(*connection, options.file);
    attachWithoutDamagedLog(*connection, options.file);
  }
  const std::string what = "cannot restrict DuckDB";
  runOrThrow(*connection, "PRAGMA disable_checkpoint_on_shutdown", what);
  // For reattach().
  runOrThrow(*connection, "SET allowed_paths = [" + quotedPath(options.file) + "]", what);
  runOrThrow(*connection, "SET enable_external_access = false", what);
  runOrThrow(*connection, "SET lock_configuration = true", what);
}

std::unique_ptr<Connection> Engine::connect() {
  duckdb_connection connection = nullptr;
  if (duckdb_connect(handle_->database, &connection) != DuckDBSuccess) {
    throw std::runtime_error("cannot connect to DuckDB");
  }
  return std::make_unique<Connection>(*this, connection);
}

Result<void> Engine::reattach(Connection& connection) {
  TRY(connection.execute("DETACH stored"));
  Result<void> attached = connection.execute(attach(file_));
  if (!attached) failed_ = true;
  return attached;
}

Error Engine::errorOf(int type, std::string_view message) {
  switch (type) {
    case DUCKDB_ERROR_INTERRUPT:
      return {ErrorCode::kTimeout, "The query took too long; narrow it."};
    case DUCKDB_ERROR_OUT_OF_MEMORY:
      kLog.warning("out_of_memory", {{"message", message}});
      return Error::unavailable(
          "The query does not fit in the memory of the trace store; narrow it, or raise the "
          "limit.");
    case DUCKDB_ERROR_IO:
      return storageError(message);
    case DUCKDB_ERROR_TRANSACTION:
      // DuckDB reports a commit that could not be written as a transaction error.
      if (message.find("file \"") != std::string_view::npos) return storageError(message);
      kLog.debug("transaction_refused", {{"message", message}});
      return Error::unavailable("The trace store is busy; try again.");
    case DUCKDB_ERROR_FATAL:
    case DUCKDB_ERROR_INTERNAL:
      if (!failed_.exchange(true)) kLog.error("engine_failed", {{"message", message}});
      return Error::unavailable("The trace store must be reopened; try again.");
    default:
      return Error::internal("DuckDB: " + std::string(message));
  }
}

}  // namespace spindle::columnar
