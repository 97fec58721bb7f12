#include "storage/database.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "base/crypto.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/no_blocking.h"
#include "storage/connection_pool.h"
#include "storage/migrator.h"
#include "storage/postgres_connection.h"
#include "storage/sqlite_connection.h"

namespace spindle::storage {
namespace {

constexpr Logger kLog("storage");

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPatience(10'000);  // maximum wait for a free connection
constexpr std::chrono::milliseconds kRerunLimit(10'000);
constexpr int kMostLost = 2;  // lost connections per call: a stale pooled one, then a new one

/// Metrics of one kind of transaction.
struct KindMetrics {
  KindMetrics(MetricRegistry& metrics, const std::string& kind)
      : transactions(metrics.counter("spindle_storage_transactions_total",
                                     "Database transactions, failed ones included.",
                                     {{"kind", kind}})),
        failures(metrics.counter("spindle_storage_failures_total",
                                 "Transactions that failed because of the database.",
                                 {{"kind", kind}})),
        reruns(metrics.counter("spindle_storage_reruns_total",
                               "Transactions retried after a conflict or a lost connection.",
                               {{"kind", kind}})),
        seconds(metrics.histogram("spindle_storage_seconds",
                                  "Duration of database transactions, waiting included.",
                                  {{"kind", kind}})) {}
  Counter& transactions;
  Counter& failures;
  Counter& reruns;
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

void pauseBeforeRerun(int attempt) {
  std::uint16_t random = 0;
  randomBytes(&random, sizeof(random));
  const int most_micros = 500 << std::min(attempt, 7);  // 1 ms, doubling up to 64 ms
  std::this_thread::sleep_for(std::chrono::microseconds(random % most_micros));
}

/// The outcome of one attempt to run the work.
struct Try {
  std::optional<Error> failed;  ///< set if the database failed, not the work
  Trouble trouble = Trouble::kNone;
};

Try giveUp(Connection& connection, std::optional<Error> failed) {
  const Trouble trouble = connection.trouble();
  if (trouble != Trouble::kLost) connection.rollback();
  return {std::move(failed), trouble};
}

Try tryOnce(ConnectionPool& pool,
            TransactionKind kind,
            const std::function<bool(Session&)>& attempt) {
  Result<Lease> lease = pool.borrow(kPatience);
  if (!lease) return {lease.error(), Trouble::kNone};
  Connection& connection = **lease;
  if (Result<void> begun = connection.begin(kind); !begun) {
    return giveUp(connection, begun.error());
  }
  Session session(connection);
  bool succeeded = false;
  try {
    succeeded = attempt(session);
  } catch (...) {
    connection.rollback();
    throw;
  }
  if (connection.trouble() != Trouble::kNone || (succeeded && session.failure())) {
    return giveUp(connection, session.failure());
  }
  if (!succeeded) {
    connection.rollback();
    return {};
  }
  if (Result<void> committed = connection.commit(); !committed) {
    Try tried = giveUp(connection, committed.error());
    // After a connection lost during COMMIT, the outcome is unknown: do not retry.
    if (tried.trouble == Trouble::kLost && kind == TransactionKind::kWrite) {
      tried.trouble = Trouble::kNone;
    }
    return tried;
  }
  return {};
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
  KindMetrics read;
  KindMetrics write;
  ConnectionPool readers;
  ConnectionPool writers;

  /// Own transactions that may have changed data.
  std::atomic<std::uint64_t> writes_done{0};

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

std::optional<std::uint64_t> Database::changeToken() {
  State& state = *state_;
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
  Result<Lease> lease = state_->writers.borrow(kPatience);
  if (!lease) throw std::runtime_error(lease.error().message());
  applyMigrations(**lease, state_->options.engine, areas, now);
}

std::optional<Error> Database::runAttempts(Kind kind,
                                           const std::function<bool(Session&)>& attempt) {
  if (NoBlocking::forbids())
    return Error::unavailable("This thread must not wait for the database.");
  const bool reading = kind == Kind::kRead;
  KindMetrics& metrics = reading ? state_->read : state_->write;
  ConnectionPool& pool = reading ? state_->readers : state_->writers;
  const SteadyClock::time_point started = SteadyClock::now();
  metrics.transactions.add();
  int lost = 0;
  for (int count = 1;; ++count) {
    Try tried = tryOnce(pool, reading ? TransactionKind::kRead : TransactionKind::kWrite, attempt);
    if (tried.trouble == Trouble::kLost) ++lost;
    const bool again =
        (tried.trouble == Trouble::kRerun && SteadyClock::now() - started < kRerunLimit) ||
        (tried.trouble == Trouble::kLost && lost < kMostLost);
    if (!again) {
      // Also after a failure: after a lost connection, the transaction may have committed.
      if (!reading) state_->writes_done.fetch_add(1, std::memory_order_release);
      if (tried.failed) metrics.failures.add();
      const std::chrono::duration<double> took = SteadyClock::now() - started;
      metrics.seconds.observe(took.count());
      return std::move(tried.failed);
    }
    metrics.reruns.add();
    if (tried.trouble == Trouble::kRerun) pauseBeforeRerun(count);
  }
}

}  // namespace spindle::storage
