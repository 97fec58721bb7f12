#include "storage/database/postgres_connection.h"

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include <soci/postgresql/soci-postgresql.h>
#include <soci/soci.h>

#include "storage/database/dialect.h"
#include "storage/database/log.h"

namespace spindle::storage {
namespace {

// Type numbers of PostgreSQL's catalogue that are not read as text.
constexpr Oid kBool = 16;
constexpr Oid kInt8 = 20;
constexpr Oid kInt2 = 21;
constexpr Oid kInt4 = 23;
constexpr Oid kOid = 26;
constexpr Oid kFloat4 = 700;
constexpr Oid kFloat8 = 701;
constexpr Oid kNumeric = 1700;

template <class Number>
std::optional<Number> parseNumber(std::string_view text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Value readValue(const PGresult* result, int row, int column) {
  if (PQgetisnull(result, row, column) != 0) return {};
  const std::string_view text(PQgetvalue(result, row, column),
                              static_cast<std::size_t>(PQgetlength(result, row, column)));
  switch (PQftype(result, column)) {
    case kBool:
      return text == "t";
    case kInt2:
    case kInt4:
    case kInt8:
    case kOid:
    case kNumeric:  // a sum over bigint
      if (const std::optional<std::int64_t> number = parseNumber<std::int64_t>(text))
        return *number;
      [[fallthrough]];
    case kFloat4:
    case kFloat8:
      if (const std::optional<double> number = parseNumber<double>(text)) return *number;
      return text;
    default:
      return text;
  }
}

template <class Number>
std::string print(Number number) {
  char buffer[32];
  const std::to_chars_result printed = std::to_chars(buffer, buffer + sizeof(buffer), number);
  return {buffer, printed.ptr};
}

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};

}  // namespace

std::string withTimeouts(std::string_view connection) {
  // A server that disappears without closing its connections is noticed within about ten seconds.
  using Option = std::pair<std::string_view, std::string_view>;
  constexpr auto kOptions = std::to_array<Option>({{"connect_timeout", "5"},
                                                   {"tcp_user_timeout", "10000"},
                                                   {"keepalives_idle", "5"},
                                                   {"keepalives_interval", "2"},
                                                   {"keepalives_count", "3"}});
  std::string text(connection);
  const bool is_uri = text.find("://") != std::string::npos;
  for (const auto& [name, value] : kOptions) {
    if (connection.find(name) != std::string_view::npos) continue;
    char separator = ' ';
    if (is_uri) separator = text.find('?') == std::string::npos ? '?' : '&';
    text.append(1, separator).append(name).append("=").append(value);
  }
  return text;
}

struct PostgresConnection::State {
  /// SOCI prepares and executes. Parameters are sent as text; the server converts each one to the
  /// type that it is compared with. Rows are read from libpq's result by its type numbers.
  struct Prepared {
    Prepared(soci::session& session, SqlView sql) : statement(session) {
      const NumberedSql numbered = numberParameters(sql.text());
      texts.resize(numbered.parameters);
      indicators.resize(numbered.parameters, soci::i_ok);
      statement.alloc();
      statement.prepare(numbered.sql);
      bind();
    }

    /// SOCI frees its copies of the parameters only after a successful run, so a failed run
    /// requires a new binding.
    void bind() {
      statement.bind_clean_up();
      for (std::size_t i = 0; i < texts.size(); ++i) {
        statement.exchange(soci::use(texts[i], indicators[i]));
      }
      statement.define_and_bind();
    }

    void execute() {
      try {
        statement.execute(false);
      } catch (...) {
        bind();
        throw;
      }
    }

    std::vector<std::string> texts;  // the buffers that SOCI is bound to; never resized
    std::vector<soci::indicator> indicators;
    soci::statement statement;
    std::shared_ptr<const Row::Columns> columns;
  };

  explicit State(const std::string& connection) : session(soci::postgresql, connection) {
    db = static_cast<soci::postgresql_session_backend*>(session.get_backend())->conn_;
  }

  Prepared& prepare(SqlView sql) {
    if (const auto found = statements.find(std::string(sql.text())); found != statements.end()) {
      return *found->second;
    }
    if (statements.size() >= kMaxCachedStatements) statements.clear();
    return *statements.emplace(sql.text(), std::make_unique<Prepared>(session, sql)).first->second;
  }

  soci::session session;
  PGconn* db = nullptr;
  std::unordered_map<std::string, std::unique_ptr<Prepared>> statements;
  TransactionKind kind = TransactionKind::kRead;
};

PostgresConnection::PostgresConnection(const Secret& connection) {
  try {
    state_ = std::make_unique<State>(withTimeouts(connection.reveal()));
  } catch (const soci::soci_error& problem) {
    // libpq's message names host, port and user, never the password.
    throw std::runtime_error("cannot connect to PostgreSQL: " + problem.get_error_message());
  }
  PQsetNoticeProcessor(
      state_->db, [](void*, const char*) {}, nullptr);
  // An acknowledged write is on disk, for every default of the server.
  constexpr SqlView kSyncCommits =
      "SELECT set_config('synchronous_commit', 'on', false) "
      "WHERE current_setting('synchronous_commit') = 'off'";
  for (const SqlView setting :
       {SqlView("SET client_encoding = 'UTF8'"), SqlView("SET standard_conforming_strings = on"),
        SqlView("SET lock_timeout = '5s'"),
        SqlView("SET idle_in_transaction_session_timeout = '60s'"), kSyncCommits}) {
    const Result<void> set = runCommand(setting);
    if (!set)
      throw std::runtime_error("cannot set up the PostgreSQL session: " + set.error().message());
  }
}

PostgresConnection::~PostgresConnection() {
  if (state_ != nullptr)
    state_->statements.clear();  // SOCI requires that statements end before their session
}

Result<void> PostgresConnection::begin(TransactionKind kind) {
  fault_ = TransactionFault::kNone;
  state_->kind = kind;
  switch (kind) {
    case TransactionKind::kRead:
      return runCommand("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    case TransactionKind::kWrite:
      return runCommand("BEGIN ISOLATION LEVEL SERIALIZABLE");
    case TransactionKind::kMigration:
      break;
  }
  // READ COMMITTED, because the snapshot of a stricter level would be older than the lock.
  TRY(runCommand("BEGIN ISOLATION LEVEL READ COMMITTED"));
  TRY(runCommand("SET LOCAL lock_timeout = 0"));
  return runCommand("SELECT pg_advisory_xact_lock(7598263456071)");
}

Result<void> PostgresConnection::commit() { return runCommand("COMMIT"); }

void PostgresConnection::rollback() noexcept {
  const std::unique_ptr<PGresult, ClearResult> result(PQexec(state_->db, "ROLLBACK"));
  if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) fault_ = TransactionFault::kConnectionLost;
}

Result<void> PostgresConnection::runCommand(SqlView sql) {
  const std::string text(sql.text());
  const std::unique_ptr<PGresult, ClearResult> result(PQexec(state_->db, text.c_str()));
  const ExecStatusType status = PQresultStatus(result.get());
  // COMMIT of a failed transaction "succeeds" as ROLLBACK; Session prevents that case.
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return {};
  const char* sql_state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
  return translate(sql_state == nullptr ? "" : sql_state, PQerrorMessage(state_->db));
}

Result<StatementResult> PostgresConnection::run(SqlView sql, const Params& params) {
  try {
    State::Prepared& prepared = state_->prepare(sql);
    if (prepared.texts.size() != params.size()) {
      throw SqlError("wrong number of parameters for: " + std::string(sql.text()));
    }
    for (std::size_t i = 0; i < params.size(); ++i) {
      const Value& value = params[i];
      prepared.indicators[i] = value.isNull() ? soci::i_null : soci::i_ok;
      if (const std::string* text = value.asText()) {
        if (const std::string_view why = unstorableReason(*text); !why.empty()) {
          return Error::invalidArgument(std::string(why));
        }
        prepared.texts[i] = *text;
      } else if (const std::int64_t* number = value.asInteger()) {
        prepared.texts[i] = print(*number);
      } else if (const double* real = value.asReal()) {
        if (!std::isfinite(*real)) return Error::invalidArgument("the number is not finite");
        prepared.texts[i] = print(*real);
      }
    }
    prepared.execute();
    auto* backend =
        static_cast<soci::postgresql_statement_backend*>(prepared.statement.get_backend());
    const PGresult* result = backend->result_;
    StatementResult outcome;
    const int columns = PQnfields(result);
    if (prepared.columns == nullptr) {
      auto names = std::make_shared<Row::Columns>();
      for (int i = 0; i < columns; ++i) names->emplace_back(PQfname(result, i));
      prepared.columns = std::move(names);
    }
    const int rows = PQntuples(result);
    outcome.rows.reserve(static_cast<std::size_t>(rows));
    for (int row = 0; row < rows; ++row) {
      std::vector<Value> cells;
      cells.reserve(static_cast<std::size_t>(columns));
      for (int i = 0; i < columns; ++i) cells.push_back(readValue(result, row, i));
      outcome.rows.emplace_back(prepared.columns, std::move(cells));
    }
    PGresult* whole = backend->result_.get_result();
    if (std::string_view(PQcmdStatus(whole)).substr(0, 6) != "SELECT") {
      outcome.changed = parseNumber<std::int64_t>(PQcmdTuples(whole)).value_or(0);
    }
    return outcome;
  } catch (const soci::postgresql_soci_error& problem) {
    const std::string sql_state = problem.sqlstate();  // five spaces if there is none
    return translate(sql_state.starts_with(' ') ? "" : sql_state, problem.get_error_message());
  } catch (const soci::soci_error& problem) {
    return translate("SOCI", problem.get_error_message());  // not an error of the connection
  }
}

Result<void> PostgresConnection::notify(std::string_view topic, std::string_view text) {
  std::string message(topic);
  if (!text.empty()) message.append(" ").append(text);
  TRY(run("SELECT pg_notify('spindle_' || md5(current_schema()), CAST(? AS TEXT))", {message}));
  return {};
}

Error PostgresConnection::translate(std::string_view sql_state, const std::string& why) {
  const std::string_view sql_class = sql_state.substr(0, 2);
  if (sql_state == "23505") return Error::conflict("The resource exists already.");
  if (sql_state == "23503") {
    return Error::conflict("The resource refers to a deleted resource, or is in use.");
  }
  if (sql_state == "40001" || sql_state == "40P01") {
    fault_ = TransactionFault::kConflict;
    return Error::unavailable("The database is busy; try again.");
  }
  if (sql_state == "55P03") return Error::unavailable("The database is busy; try again.");
  if (sql_state.substr(0, 2) == "54") {
    return {ErrorCode::kTooLarge, "The value is too large to be stored."};
  }
  if (sql_state == "53100") {
    kLog.error("database_full", {{"engine", "postgres"}, {"why", why}});
    return {ErrorCode::kStorageFull, std::string(kDatabaseFull)};
  }
  // Only the server reports a state. libpq reports a connection that is lost while the last words
  // of the server wait in it, such as those of an immediate shutdown, before its status is BAD.
  // 0A000: a prepared plan is older than a change of its table; a new connection plans again.
  const bool gone = sql_state.empty() || PQstatus(state_->db) == CONNECTION_BAD ||
                    sql_class == "08" || sql_state.substr(0, 3) == "57P" || sql_state == "0A000" ||
                    sql_state == "25P03";
  const bool exhausted = sql_class == "53" || sql_class == "58" || sql_state == "57014" ||
                         (sql_state == "25006" && state_->kind != TransactionKind::kRead);
  if (gone || exhausted) {
    if (gone) fault_ = TransactionFault::kConnectionLost;
    kLog.error("database_failed", {{"engine", "postgres"}, {"sql_state", sql_state}, {"why", why}});
    return Error::unavailable("The database cannot be reached right now.");
  }
  throw SqlError("PostgreSQL " + std::string(sql_state) + ": " + why);
}

}  // namespace spindle::storage
