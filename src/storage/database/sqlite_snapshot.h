#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/sql_text.h"

struct sqlite3;

namespace spindle::storage {

/// A snapshot of a SQLite database that other processes may use. Writers continue; the write-ahead
/// log of the file grows until the snapshot is destroyed. For one thread at a time. All failures
/// throw std::runtime_error with a message for the operator.
class SqliteSnapshot {
 public:
  /// Opens the file, which must exist. Calls `at_moment` while no transaction can commit: the
  /// snapshot is of exactly that moment. The function must be fast.
  SqliteSnapshot(const std::string& path, const std::function<void()>& at_moment);
  ~SqliteSnapshot();
  SqliteSnapshot(const SqliteSnapshot&) = delete;
  SqliteSnapshot& operator=(const SqliteSnapshot&) = delete;

  /// Copies the database to a new file, page by page: unchanged pages are at the same offset with
  /// the same bytes as in an earlier copy.
  void copyTo(const std::string& path);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

/// Rolls back the transaction that a kill has interrupted before the file was in WAL mode, so that
/// SqliteFile can read it. Nobody else may have the file open. @throws std::runtime_error
void rollBackInterrupted(const std::string& path);

/// A SQLite file that is opened read-only, for checks. `complete` says that nobody has the file
/// open and that it needs no write-ahead log, as with a copy of SqliteSnapshot. For one thread.
class SqliteFile {
 public:
  /// @throws std::runtime_error
  SqliteFile(const std::string& path, bool complete);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  /// Runs SQLite's integrity check and its foreign key check.
  /// @return the problems; empty if there are none.
  std::vector<std::string> check();
  /// Runs the faster check that skips comparing indexes with tables.
  std::vector<std::string> quickCheck();

  bool hasTable(std::string_view table);
  bool hasColumn(std::string_view table, std::string_view column);
  /// Calls `visit` with the columns of every row, as text; null is an empty text.
  /// @throws std::runtime_error
  void each(SqlView sql, const std::function<void(const std::vector<std::string>& row)>& visit);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::vector<std::string> linesOf(SqlView sql);

  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace spindle::storage
