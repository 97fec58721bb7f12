#include "storage/database/database.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "base/core/check.h"
#include "base/core/mutex.h"
#include "base/core/no_blocking.h"
#include "base/crypto/crypto.h"
#include "storage/database/connection_pool.h"
#include "storage/database/log.h"
#include "storage/database/migrator.h"
#include "storage/database/postgres_connection.h"
#include "storage/database/postgres_listener.h"
#include "storage/database/sqlite_connection.h"

namespace spindle::storage {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kConnectionTimeout(
    10'000);  // maximum wait for a free connection
constexpr std::chrono::milliseconds kRetryLimit(10'000);
constexpr int kMaxLostConnections =
    2;  // lost connections per call: a stale pooled one, then a new one

/// Metrics of one kind of transaction.
struct TransactionMetrics {
  TransactionMetrics(MetricRegistry& metrics, const std::string& kind)
      : transactions(metrics.counter("spindle_storage_transactions_total",
                                     "Database transactions, failed ones included.",
                                     {{"kind", kind}})),
        failures(metrics.counter("spindle_storage_failures_total",
                                 "Transactions that failed because of the database.",
                                 {{"kind", kind}})),
        retries(metrics.counter("spindle_storage_reruns_total",
                                "Transactions retried after a conflict or a lost connection.",
                                {{"kind", kind}})),
        seconds(metrics.histogram("spindle_storage_seconds",
                                  "Duration of database transactions, waiting included.",
                                  {{"kind", kind}})) {}
  Counter& transactions;
  Counter& failures;
  Counter& retries;
  Histogram& seconds;
};

ConnectionPool::Opener openerFor(const DatabaseOptions& options, SqliteRole role) {
  return [options, role]() -> Result<std::unique_ptr<Connection>> {
    try {
      if (options.engine == Engine::kPostgres) {
        return std::unique_ptr<Connection>(new PostgresConnection(options.connection));
      }
      return std::unique_ptr<Connection>(new SqliteConnection(options.path, role));
    } catch (const std::runtime_error& problem) {
      kLog.error("database_failed", {{"why", problem.what()}});
      return Error::unavailable("The database cannot be reached right now.");
    }
  };
}

void backOff(int attempt) {
  std::uint16_t random = 0;
  randomBytes(&random, sizeof(random));
  const int most_micros = 500 << std::min(attempt, 7);  // 1 ms, doubling up to 64 ms
  std::this_thread::sleep_for(std::chrono::microseconds(random % most_micros));
}

/// The outcome of one attempt to run the work.
struct AttemptResult {
  std::optional<Error> failed;  ///< set if the database failed, not the work
  TransactionFault fault = TransactionFault::kNone;
  bool unchanged = false;  ///< certain that the transaction changed no row
};

AttemptResult abandonAttempt(Connection& connection, std::optional<Error> failed) {
  const TransactionFault fault = connection.fault();
  if (fault != TransactionFault::kConnectionLost) connection.rollback();
  return {std::move(failed), fault};
}

AttemptResult attemptOnce(ConnectionPool& pool,
                          TransactionKind kind,
                          const std::function<bool(Session&)>& attempt) {
  Result<PooledConnection> lease = pool.borrow(kConnectionTimeout);
  if (!lease) return {lease.error(), TransactionFault::kNone};
  Connection& connection = **lease;
  if (Result<void> begun = connection.begin(kind); !begun) {
    return abandonAttempt(connection, begun.error());
  }
  Session session(connection);
  bool succeeded = false;
  try {
    succeeded = attempt(session);
  } catch (...) {
    connection.rollback();
    throw;
  }
  if (connection.fault() != TransactionFault::kNone || (succeeded && session.failure())) {
    return abandonAttempt(connection, session.failure());
  }
  const bool unchanged = !succeeded || session.changedRows() == 0;
  if (!succeeded) {
    connection.rollback();
    return {{}, TransactionFault::kNone, unchanged};
  }
  if (Result<void> committed = connection.commit(); !committed) {
    AttemptResult result = abandonAttempt(connection, committed.error());
    // After a connection lost during COMMIT, the outcome is unknown: do not retry.
    if (result.fault == TransactionFault::kConnectionLost && kind == TransactionKind::kWrite) {
      result.fault = TransactionFault::kNone;
    }
    return result;
  }
  return {{}, TransactionFault::kNone, unchanged};
}

}  // namespace

struct Database::State {
  State(const DatabaseOptions& opened, MetricRegistry& metrics)
      : options(opened),
        read(metrics, "read"),
        write(metrics, "write"),
        readers(std::max<std::size_t>(1, options.readers),
                openerFor(options, SqliteRole::kReader),
                "read",
                metrics),
        writers(options.engine == Engine::kSqlite ? 1 : std::max<std::size_t>(1, options.writers),
                openerFor(options, SqliteRole::kWriter),
                "write",
                metrics) {}

  const DatabaseOptions options;
  TransactionMetrics read;
  TransactionMetrics write;
  ConnectionPool readers;
  ConnectionPool writers;

  /// PostgreSQL: the change token. SQLite: own transactions that may have changed data.
  std::atomic<std::uint64_t> writes_done{0};

  // Constant while the listener exists.
  std::vector<std::pair<std::string, Database::Receive>> subscriptions;
  std::unique_ptr<PostgresListener> listener;
  std::atomic<const PostgresListener*> running_listener{nullptr};

  Mutex watch_mutex;
  std::unique_ptr<SqliteConnection> watch SPINDLE_GUARDED_BY(watch_mutex);
  // The last check of the database, and the number of own writes before it.
  std::optional<std::uint64_t> seen_version SPINDLE_GUARDED_BY(watch_mutex);
  std::uint64_t seen_writes SPINDLE_GUARDED_BY(watch_mutex) = 0;
  SteadyClock::time_point seen_at SPINDLE_GUARDED_BY(watch_mutex);
};

std::unique_ptr<Database> Database::open(const DatabaseOptions& options, MetricRegistry& metrics) {
  auto state = std::make_unique<State>(options, metrics);
  // Open a connection for its error message; errors of the pool are for API clients.
  if (options.engine == Engine::kPostgres) {
    const PostgresConnection probe(options.connection);
  } else {
    const SqliteConnection creates_the_file(options.path, SqliteRole::kWriter);
    const MutexLock lock(state->watch_mutex);
    state->watch = std::make_unique<SqliteConnection>(options.path, SqliteRole::kReader);
  }
  return std::unique_ptr<Database>(new Database(std::move(state)));
}

Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::~Database() = default;

Engine Database::engine() const { return state_->options.engine; }

Result<Timestamp> Database::time(const Clock& own) {
  if (engine() != Engine::kPostgres) return own.now();
  const Timestamp asked = own.now();
  const std::int64_t told = TRY(read([](Session& session) -> Result<std::int64_t> {
    const std::optional<Row> row = TRY(session.queryOne(
        "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT) AS micros"));
    return row->integer("micros");
  }));
  // The server looked at its clock about halfway between the question and the answer.
  return timestampOfMicros(told) + (own.now() - asked) / 2;
}

void Database::subscribe(std::string_view topic, Receive receive) {
  SPINDLE_ASSERT(state_->listener == nullptr, "subscriptions come before startListening()");
  state_->subscriptions.emplace_back(topic, std::move(receive));
}

void Database::startListening() {
  if (engine() != Engine::kPostgres || state_->listener != nullptr) return;
  State& state = *state_;
  const auto received = [&state](std::string_view topic, std::string_view text) {
    if (topic == kRowsTopic) state.writes_done.fetch_add(1, std::memory_order_release);
    for (const auto& [wanted, receive] : state.subscriptions) {
      if (wanted == topic) receive(text);
    }
  };
  const auto connected = [&state] {
    state.writes_done.fetch_add(1, std::memory_order_release);
    for (const auto& [topic, receive] : state.subscriptions) receive({});
  };
  state.listener = std::make_unique<PostgresListener>(
      state.options.connection, PostgresListener::Callbacks{received, connected});
  state.running_listener.store(state.listener.get(), std::memory_order_release);
}

void Database::stopListening() {
  // The object stays until the destructor, because changeToken() may be using it.
  state_->running_listener.store(nullptr, std::memory_order_release);
  if (state_->listener != nullptr) state_->listener->stop();
}

std::optional<std::uint64_t> Database::changeToken() {
  State& state = *state_;
  if (engine() == Engine::kPostgres) {
    const PostgresListener* listener = state.running_listener.load(std::memory_order_acquire);
    if (listener == nullptr || !listener->isCurrent()) return std::nullopt;
    return state.writes_done.load(std::memory_order_acquire);
  }
  const std::uint64_t writes_done = state.writes_done.load(std::memory_order_acquire);
  const SteadyClock::time_point now = SteadyClock::now();
  const MutexLock lock(state.watch_mutex);
  if (state.watch == nullptr) return std::nullopt;
  const bool fresh = state.seen_version.has_value() && state.seen_writes == writes_done &&
                     now - state.seen_at < state.options.change_window;
  if (fresh) return state.seen_version;
  state.seen_version = state.watch->dataVersion();
  state.seen_writes = writes_done;
  state.seen_at = now;
  return state.seen_version;
}

void Database::migrate(const std::vector<AreaSchema>& areas, Timestamp now) {
  Result<PooledConnection> lease = state_->writers.borrow(kConnectionTimeout);
  if (!lease) throw std::runtime_error(lease.error().message());
  applyMigrations(**lease, state_->options.engine, areas, now);
}

std::optional<Error> Database::runAttempts(Kind kind,
                                           const std::function<bool(Session&)>& attempt) {
  if (NoBlocking::forbids())
    return Error::unavailable("This thread must not wait for the database.");
  const bool reading = kind == Kind::kRead;
  TransactionMetrics& metrics = reading ? state_->read : state_->write;
  ConnectionPool& pool = reading ? state_->readers : state_->writers;
  const SteadyClock::time_point started = SteadyClock::now();
  metrics.transactions.add();
  int lost = 0;
  for (int count = 1;; ++count) {
    AttemptResult result =
        attemptOnce(pool, reading ? TransactionKind::kRead : TransactionKind::kWrite, attempt);
    if (result.fault == TransactionFault::kConnectionLost) ++lost;
    const bool again =
        (result.fault == TransactionFault::kConflict &&
         SteadyClock::now() - started < kRetryLimit) ||
        (result.fault == TransactionFault::kConnectionLost && lost < kMaxLostConnections);
    if (!again) {
      // Also after a failure: after a lost connection, the transaction may have committed.
      if (kind == Kind::kWrite && !result.unchanged) {
        state_->writes_done.fetch_add(1, std::memory_order_release);
      }
      if (result.failed) metrics.failures.add();
      const std::chrono::duration<double> took = SteadyClock::now() - started;
      metrics.seconds.observe(took.count());
      return std::move(result.failed);
    }
    metrics.retries.add();
    if (result.fault == TransactionFault::kConflict) backOff(count);
  }
}

}  // namespace spindle::storage
