#include "storage/database/sqlite_connection.h"

#include <cerrno>
#include <cmath>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/database/log.h"

namespace spindle::storage {
namespace {

namespace native = ::sqlite_api;

constexpr int kBusyMillis = 5000;

std::string connectText(const std::string& path) {
  // SOCI's connect string has no escape for its own quote.
  if (path.find('"') != std::string::npos) {
    throw std::runtime_error("the path of the database may not contain a double quote: " + path);
  }
  return "dbname=\"" + path + "\"";
}

/// Creates the file with mode 0600; SQLite would apply the umask only. Does not open an existing
/// file: closing it would drop the locks that SQLite holds for this process (POSIX locks end with
/// any descriptor of the file). Then the next process to exit would take itself for the last user
/// and delete the write-ahead log that this process uses.
void createPrivateFile(const std::string& path) {
  constexpr int kOnlyIfNew = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
  const int file = ::open(path.c_str(), kOnlyIfNew, S_IRUSR | S_IWUSR);
  if (file >= 0) ::close(file);
}

/// Resets a statement at the end of the scope, so that no read transaction outlives the call.
class ResetAtEnd {
 public:
  explicit ResetAtEnd(native::sqlite3_stmt* statement) : statement_(statement) {}
  ~ResetAtEnd() {
    native::sqlite3_reset(statement_);
    native::sqlite3_clear_bindings(statement_);
  }
  ResetAtEnd(const ResetAtEnd&) = delete;
  ResetAtEnd& operator=(const ResetAtEnd&) = delete;

 private:
  native::sqlite3_stmt* statement_;
};

int bindValue(native::sqlite3_stmt* statement, int position, const Value& value) {
  if (const std::int64_t* number = value.asInteger()) {
    return native::sqlite3_bind_int64(statement, position, *number);
  }
  if (const double* number = value.asReal()) {
    return native::sqlite3_bind_double(statement, position, *number);
  }
  if (const std::string* text = value.asText()) {
    // The parameters outlive the run: SQLite does not have to copy them.
    return native::sqlite3_bind_text64(statement, position, text->data(), text->size(), nullptr,
                                       SQLITE_UTF8);
  }
  return native::sqlite3_bind_null(statement, position);
}

Value readValue(native::sqlite3_stmt* statement, int column) {
  switch (native::sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      return {};
    case SQLITE_INTEGER:
      return static_cast<std::int64_t>(native::sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
      return native::sqlite3_column_double(statement, column);
    default: {
      const void* bytes = native::sqlite3_column_blob(statement, column);
      const auto size = static_cast<std::size_t>(native::sqlite3_column_bytes(statement, column));
      return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
    }
  }
}

/// Returns true if an error number means that the disk, a quota or a file size limit is exhausted.
bool meansFull(int problem) { return problem == ENOSPC || problem == EDQUOT || problem == EFBIG; }

int lastErrnoOf(native::sqlite3_file* file) {
  int problem = 0;
  if (file == nullptr || file->pMethods == nullptr) return 0;
  file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &problem);
  return problem;
}

/// Returns the error number of the last failed call on the write-ahead log or the database file.
/// sqlite3_system_errno() does not know it when COMMIT fails.
int lastErrno(native::sqlite3* db) {
  native::sqlite3_file* file = nullptr;
  native::sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
  const int problem = lastErrnoOf(file);
  if (problem != 0) return problem;
  native::sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  return lastErrnoOf(file);
}

Error storageFull(std::string_view why) {
  kLog.error("database_full", {{"engine", "sqlite"}, {"why", why}});
  return {ErrorCode::kStorageFull, std::string(kDatabaseFull)};
}

}  // namespace

struct SqliteConnection::State {
  /// SOCI owns the compiled statement. Values are bound and read with SQLite itself, because SOCI
  /// reads columns by their declared type: it truncates INTEGER to 32 bits and prints doubles with
  /// 15 digits.
  struct Prepared {
    explicit Prepared(soci::session& session) : statement(session) {}
    soci::statement statement;
    native::sqlite3_stmt* handle = nullptr;
    std::shared_ptr<const Row::Columns> columns;
  };

  explicit State(const std::string& path) : session(soci::sqlite3, connectText(path)) {
    db = static_cast<soci::sqlite3_session_backend*>(session.get_backend())->conn_;
  }

  Prepared& prepare(SqlView sql) {
    std::string text(sql.text());
    if (const auto found = statements.find(text); found != statements.end()) {
      return *found->second;
    }
    if (statements.size() >= kMaxCachedStatements) statements.clear();
    auto prepared = std::make_unique<Prepared>(session);
    prepared->statement.alloc();
    prepared->statement.prepare(text);
    auto* backend =
        static_cast<soci::sqlite3_statement_backend*>(prepared->statement.get_backend());
    prepared->handle = backend->stmt_;
    if (prepared->handle == nullptr) throw SqlError("an empty statement");
    auto columns = std::make_shared<Row::Columns>();
    for (int i = 0; i < native::sqlite3_column_count(prepared->handle); ++i) {
      columns->emplace_back(native::sqlite3_column_name(prepared->handle, i));
    }
    prepared->columns = std::move(columns);
    return *statements.emplace(std::move(text), std::move(prepared)).first->second;
  }

  soci::session session;
  native::sqlite3* db = nullptr;
  std::unordered_map<std::string, std::unique_ptr<Prepared>> statements;
};

SqliteConnection::SqliteConnection(const std::string& path, SqliteRole role) {
  try {
    createPrivateFile(path);
    state_ = std::make_unique<State>(path);
    native::sqlite3_extended_result_codes(state_->db, 1);
    native::sqlite3_busy_timeout(state_->db, kBusyMillis);
    const auto pragma = [&](SqlView sql) {
      const Result<StatementResult> outcome = run(sql, {});
      if (!outcome) throw std::runtime_error(native::sqlite3_errmsg(state_->db));
      return outcome->rows;
    };
    const Rows journal = pragma("PRAGMA journal_mode = WAL");
    if (journal.empty() || journal.front().text(0) != "wal") {
      throw std::runtime_error("its file system does not support SQLite's write-ahead log");
    }
    pragma("PRAGMA synchronous = FULL");
    pragma("PRAGMA foreign_keys = ON");
    pragma("PRAGMA temp_store = MEMORY");
    pragma("PRAGMA journal_size_limit = 67108864");
    // In KiB. The inner pages of large indexes stay in memory, and a large transaction does not
    // write its pages out twice.
    pragma(role == SqliteRole::kReader ? SqlView("PRAGMA cache_size = -8192")
                                       : SqlView("PRAGMA cache_size = -32768"));
    if (role == SqliteRole::kReader) pragma("PRAGMA query_only = ON");
    state_->statements.clear();
  } catch (const std::exception& problem) {
    throw std::runtime_error("cannot open the database " + path + ": " + problem.what());
  }
}

SqliteConnection::~SqliteConnection() {
  if (state_ != nullptr)
    state_->statements.clear();  // SOCI requires that statements end before their session
}

Result<void> SqliteConnection::begin(TransactionKind kind) {
  fault_ = TransactionFault::kNone;
  const bool reading = kind == TransactionKind::kRead;
  TRY(run(reading ? SqlView("BEGIN DEFERRED") : SqlView("BEGIN IMMEDIATE"), {}));
  return {};
}

Result<void> SqliteConnection::commit() {
  TRY(run("COMMIT", {}));
  return {};
}

void SqliteConnection::rollback() noexcept {
  // Some errors (disk full, I/O) have already rolled back.
  if (native::sqlite3_get_autocommit(state_->db) != 0) return;
  if (native::sqlite3_exec(state_->db, "ROLLBACK", nullptr, nullptr, nullptr) != SQLITE_OK) {
    fault_ = TransactionFault::kConnectionLost;
  }
}

Result<StatementResult> SqliteConnection::run(SqlView sql, const Params& params) {
  State::Prepared* prepared = nullptr;
  try {
    prepared = &state_->prepare(sql);
  } catch (const soci::soci_error&) {
    return translate(native::sqlite3_extended_errcode(state_->db));
  }
  native::sqlite3_stmt* statement = prepared->handle;
  if (native::sqlite3_bind_parameter_count(statement) != static_cast<int>(params.size())) {
    throw SqlError("wrong number of parameters for: " + std::string(sql.text()));
  }
  const ResetAtEnd reset(statement);
  for (std::size_t i = 0; i < params.size(); ++i) {
    const Value& value = params[i];
    if (const std::string* text = value.asText()) {
      if (const std::string_view why = unstorableReason(*text); !why.empty()) {
        return Error::invalidArgument(std::string(why));
      }
    }
    // SQLite would store NaN as null.
    if (const double* number = value.asReal(); number != nullptr && !std::isfinite(*number)) {
      return Error::invalidArgument("the number is not finite");
    }
    const int bound = bindValue(statement, static_cast<int>(i) + 1, value);
    if (bound != SQLITE_OK) return translate(bound);
  }

  StatementResult outcome;
  int code = SQLITE_OK;
  while ((code = native::sqlite3_step(statement)) == SQLITE_ROW) {
    std::vector<Value> cells;
    cells.reserve(prepared->columns->size());
    for (int i = 0; i < static_cast<int>(prepared->columns->size()); ++i) {
      cells.push_back(readValue(statement, i));
    }
    outcome.rows.emplace_back(prepared->columns, std::move(cells));
  }
  if (code != SQLITE_DONE) return translate(code);
  if (native::sqlite3_stmt_readonly(statement) == 0) {
    outcome.changed = native::sqlite3_changes64(state_->db);
  }
  return outcome;
}

std::optional<std::uint64_t> SqliteConnection::dataVersion() {
  // Called for every request: read the column directly, without building rows.
  native::sqlite3_stmt* statement = state_->prepare("PRAGMA data_version").handle;
  const ResetAtEnd reset(statement);
  if (native::sqlite3_step(statement) != SQLITE_ROW) return std::nullopt;
  return static_cast<std::uint64_t>(native::sqlite3_column_int64(statement, 0));
}

Error SqliteConnection::translate(int code) {
  switch (code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
      return Error::conflict("The resource exists already.");
    case SQLITE_CONSTRAINT_FOREIGNKEY:
    case SQLITE_CONSTRAINT_TRIGGER:
      return Error::conflict("The resource refers to a deleted resource, or is in use.");
    default:
      break;
  }
  const std::string why = native::sqlite3_errmsg(state_->db);
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Error::unavailable("The database is busy; try again.");
    case SQLITE_TOOBIG:
      return {ErrorCode::kTooLarge, "The value is too large to be stored."};
    case SQLITE_FULL:
      return storageFull(why);
    case SQLITE_IOERR:
      // SQLITE_FULL means ENOSPC only; quotas and file size limits are I/O errors.
      if (meansFull(lastErrno(state_->db))) return storageFull(why);
      [[fallthrough]];
    case SQLITE_CANTOPEN:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_NOMEM:
    case SQLITE_PROTOCOL:
      kLog.error("database_failed", {{"engine", "sqlite"}, {"code", code}, {"why", why}});
      return Error::unavailable("The database cannot be used right now.");
    case SQLITE_READONLY:
      if (native::sqlite3_db_readonly(state_->db, "main") == 1) {
        kLog.error("database_failed", {{"engine", "sqlite"}, {"code", code}, {"why", why}});
        return Error::unavailable("The database is read-only.");
      }
      break;
    default:
      break;
  }
  throw SqlError("SQLite: " + why);
}

}  // namespace spindle::storage
