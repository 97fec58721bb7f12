#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/sql_text.h"

struct sqlite3;

namespace spindle::storage {

/// One moment of a SQLite database that other processes may be using. Writers go on; the file's
/// write-ahead log grows until the snapshot is destroyed. One thread at a time.
/// All failures throw std::runtime_error with a message for the operator.
class SqliteSnapshot {
 public:
  /// Opens the file, which must exist. `at_moment` runs while no transaction can commit: the
  /// snapshot is of exactly that moment. It must be quick.
  SqliteSnapshot(const std::string& path, const std::function<void()>& at_moment);
  ~SqliteSnapshot();
  SqliteSnapshot(const SqliteSnapshot&) = delete;
  SqliteSnapshot& operator=(const SqliteSnapshot&) = delete;

  /// Writes the database into a new file, page by page: pages that did not change since an earlier
  /// copy are at the same place with the same bytes.
  void copyTo(const std::string& path);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

/// A SQLite file that is read without being changed, for checks. `complete` says that nobody has it
/// open and that it needs no write-ahead log, as with a copy of SqliteSnapshot. One thread.
class SqliteFile {
 public:
  /// @throws std::runtime_error
  SqliteFile(const std::string& path, bool complete);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  /// Runs SQLite's integrity check and its check of foreign keys. @return what is wrong; empty when
  /// all is well.
  std::vector<std::string> check();
  /// Runs the faster check that skips comparing indexes with tables.
  std::vector<std::string> quickCheck();

  bool hasTable(std::string_view table);
  /// Gives the first columns of every row to `visit`, as texts; null is an empty text.
  /// @throws std::runtime_error
  void each(SqlView sql,
            const std::function<void(const std::vector<std::string>& row)>& visit);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::vector<std::string> linesOf(SqlView sql);

  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace spindle::storage
