#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/core/folder_for_test.h"
#include "base/core/metrics.h"
#include "base/crypto/secret.h"
#include "storage/database/database.h"

namespace spindle::storage {

/// A PostgreSQL server of the Debian package in a temporary folder, for tests. One per process:
/// started on first use, stopped when the process ends, however it ends.
class PostgresForTest {
 public:
  /// @throws std::runtime_error if the server is not installed or does not start.
  static PostgresForTest& instance();

  /// Creates an empty database: a schema of its own, which is faster to create and is deleted with
  /// the server.
  /// @return its connection string.
  Secret createDatabase();

  /// Closes every connection to the server's databases, as a restart of the server would.
  void closeAllConnections();

  /// Kills one of the server's processes, so that the server ends all others and recovers. Returns
  /// when it accepts connections again.
  void crash();

  ~PostgresForTest();

 private:
  PostgresForTest();
  std::string connectionText() const;
  void waitUntilReady() const;

  std::string folder_;
  int server_pid_ = -1;
  int next_database_ = 1;
};

/// An empty database of either engine. The destructor deletes it.
class DatabaseForTest {
 public:
  explicit DatabaseForTest(Engine engine);

  /// Returns the database. All calls return the same object.
  Database& operator*() { return *database_; }
  Database* operator->() { return database_.get(); }

  /// Opens the same data again, as another process would.
  std::unique_ptr<Database> openAgain();

  const DatabaseOptions& options() const { return options_; }
  MetricRegistry& metrics() { return metrics_; }

 private:
  MetricRegistry metrics_;
  std::optional<FolderForTest> folder_;  ///< of a SQLite database
  DatabaseOptions options_;
  std::unique_ptr<Database> database_;
};

using spindle::FolderForTest;

inline std::string nameOfEngine(Engine engine) {
  return engine == Engine::kSqlite ? "Sqlite" : "Postgres";
}

}  // namespace spindle::storage
