#include "storage/database/sqlite_snapshot.h"

#include <filesystem>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

namespace spindle::storage {
namespace {

constexpr int kSnapshotBusyMillis = 30'000;
constexpr int kPagesPerStep = 1024;
constexpr std::size_t kMaxLines = 20;

[[noreturn]] void fail(const std::string& what, const std::string& path, const std::string& why) {
  throw std::runtime_error(what + " " + path + ": " + why);
}

/// Opens with these flags. @throws std::runtime_error
sqlite3* openFile(const std::string& name, int flags, const std::string& path) {
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &database, flags, nullptr);
  if (code == SQLITE_OK) {
    sqlite3_busy_timeout(database, kSnapshotBusyMillis);
    return database;
  }
  const std::string why = database == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(database);
  sqlite3_close(database);
  fail("cannot open the database", path, why);
}

/// Returns a `file:` URI with all special characters of the path escaped.
std::string fileUri(const std::string& path, std::string_view parameters) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '%' || c == '?' || c == '#') {
      uri += '%';
      uri += kDigits[byte >> 4U];
      uri += kDigits[byte & 15U];
    } else {
      uri += c;
    }
  }
  return uri + "?" + std::string(parameters);
}

class Statement {
 public:
  Statement(sqlite3* database, SqlView sql, const std::string& path)
      : database_(database), path_(path) {
    if (sqlite3_prepare_v2(database, sql.text().data(), static_cast<int>(sql.size()), &statement_,
                           nullptr) != SQLITE_OK) {
      fail("cannot read the database", path, sqlite3_errmsg(database));
    }
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  bool step() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    fail("cannot read the database", path_, sqlite3_errmsg(database_));
  }
  int columns() { return sqlite3_column_count(statement_); }
  std::string text(int column) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    if (bytes == nullptr) return {};
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }

 private:
  sqlite3* database_;
  const std::string& path_;
  sqlite3_stmt* statement_ = nullptr;
};

void execute(sqlite3* database, SqlView sql, const std::string& path) {
  Statement statement(database, sql, path);
  while (statement.step()) continue;
}

}  // namespace

void SqliteSnapshot::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }
void SqliteFile::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

SqliteSnapshot::SqliteSnapshot(const std::string& path, const std::function<void()>& at_moment)
    : path_(path), database_(openFile(path, SQLITE_OPEN_READWRITE, path)) {
  const std::unique_ptr<sqlite3, Close> writer(openFile(path, SQLITE_OPEN_READWRITE, path));
  // While `writer` holds the write lock, no other transaction can commit.
  execute(writer.get(), "BEGIN IMMEDIATE", path_);
  at_moment();
  execute(database_.get(), "BEGIN", path_);
  execute(database_.get(), "SELECT count(*) FROM sqlite_master", path_);
  execute(writer.get(), "ROLLBACK", path_);
}

SqliteSnapshot::~SqliteSnapshot() {
  sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void SqliteSnapshot::copyTo(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) fail("cannot create", path, "it exists or cannot be written");
  ::close(file);
  const std::unique_ptr<sqlite3, Close> target(openFile(path, SQLITE_OPEN_READWRITE, path));
  execute(target.get(), "PRAGMA synchronous = OFF", path);
  sqlite3_backup* backup = sqlite3_backup_init(target.get(), "main", database_.get(), "main");
  if (backup == nullptr) fail("cannot write", path, sqlite3_errmsg(target.get()));
  int code = SQLITE_OK;
  while (code == SQLITE_OK) code = sqlite3_backup_step(backup, kPagesPerStep);
  const int finished = sqlite3_backup_finish(backup);
  if (code != SQLITE_DONE || finished != SQLITE_OK) {
    fail("cannot copy the database to", path,
         sqlite3_errstr(code == SQLITE_DONE ? finished : code));
  }
}

void rollBackInterrupted(const std::string& path) {
  std::error_code problem;
  if (!std::filesystem::exists(path + "-journal", problem)) return;
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close_v2)> database(
      openFile(path, SQLITE_OPEN_READWRITE, path), sqlite3_close_v2);
  execute(database.get(), "SELECT count(*) FROM sqlite_master", path);
}

SqliteFile::SqliteFile(const std::string& path, bool complete)
    : path_(path),
      database_(openFile(fileUri(path, complete ? "mode=ro&immutable=1" : "mode=ro"),
                         SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                         path)) {}

SqliteFile::~SqliteFile() = default;

std::vector<std::string> SqliteFile::linesOf(SqlView sql) {
  std::vector<std::string> lines;
  try {
    Statement statement(database_.get(), sql, path_);
    while (lines.size() < kMaxLines && statement.step()) {
      std::string line;
      for (int i = 0; i < statement.columns(); ++i) {
        line += (i == 0 ? "" : " ") + statement.text(i);
      }
      if (line != "ok") lines.push_back(std::move(line));
    }
  } catch (const std::runtime_error& problem) {
    lines.emplace_back(problem.what());
  }
  return lines;
}

std::vector<std::string> SqliteFile::quickCheck() { return linesOf("PRAGMA quick_check(20)"); }

std::vector<std::string> SqliteFile::check() {
  std::vector<std::string> lines = linesOf("PRAGMA integrity_check(20)");
  if (!lines.empty()) return lines;
  for (const std::string& line : linesOf("PRAGMA foreign_key_check")) {
    lines.push_back("a row refers to a missing row: " + line);
  }
  return lines;
}

bool SqliteFile::hasTable(std::string_view table) {
  bool found = false;
  each("SELECT name FROM sqlite_master WHERE type = 'table'",
       [&](const std::vector<std::string>& row) { found = found || row.front() == table; });
  return found;
}

bool SqliteFile::hasColumn(std::string_view table, std::string_view column) {
  bool found = false;
  each(
      "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c "
      "WHERE m.type = 'table'",
      [&](const std::vector<std::string>& row) {
        found = found || (row[0] == table && row[1] == column);
      });
  return found;
}

void SqliteFile::each(SqlView sql,
                      const std::function<void(const std::vector<std::string>& row)>& visit) {
  Statement statement(database_.get(), sql, path_);
  while (statement.step()) {
    std::vector<std::string> row;
    row.reserve(static_cast<std::size_t>(statement.columns()));
    for (int i = 0; i < statement.columns(); ++i) row.push_back(statement.text(i));
    visit(row);
  }
}

}  // namespace spindle::storage
