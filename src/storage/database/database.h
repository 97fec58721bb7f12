#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/metrics.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "base/crypto/secret.h"
#include "storage/database/dialect.h"
#include "storage/database/migration.h"
#include "storage/database/session.h"

namespace spindle::storage {

struct DatabaseOptions {
  Engine engine = Engine::kSqlite;
  std::string path;         ///< SQLite: path of the file
  Secret connection;        ///< PostgreSQL: a libpq connection string or postgresql:// URI
  std::size_t readers = 4;  ///< connections for read()
  std::size_t writers = 4;  ///< PostgreSQL: connections for write(); SQLite always has one
  /// Maximum time for which changeToken() may miss a commit of another process.
  std::chrono::microseconds change_window{1000};
};

/// The metadata database. Thread-safe; every call blocks on disk or network: worker threads only.
/// The metric registry must outlive the database, and the database all work given to it.
class Database {
 public:
  /// Opens the database.
  /// @throws std::runtime_error with a message for the operator if the database cannot be used.
  static std::unique_ptr<Database> open(const DatabaseOptions& options, MetricRegistry& metrics);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Applies the missing migrations, each in a transaction of its own, areas in the given order (an
  /// area after those that its foreign keys refer to). Several processes may start at once. Called
  /// at start.
  /// @throws std::runtime_error if a newer program wrote the data, or if a migration fails.
  void migrate(const std::vector<AreaSchema>& areas, Timestamp now);

  /// Runs `work(Session&)`, which returns a Result<T>, on one snapshot of the data. May run it a
  /// second time after a lost connection.
  /// @return the result of the work, or kUnavailable.
  template <class Work>
  auto read(Work&& work) -> std::invoke_result_t<Work&, Session&> {
    return run(Kind::kRead, work);
  }

  /// Runs `work(Session&)`, which returns a Result<T>, as a serializable transaction. Commits,
  /// durably, if the work succeeds; rolls back if the work returns an Error or throws. The work may
  /// run several times (a conflict with another transaction, a lost connection), so it must only
  /// change the session and its own locals.
  /// @return the result of the work, or kUnavailable.
  template <class Work>
  auto write(Work&& work) -> std::invoke_result_t<Work&, Session&> {
    return run(Kind::kWrite, work);
  }

  /// As write(), for tables that nobody caches: AreaSchema::cached_tables lists none of them. The
  /// change token may stay the same.
  template <class Work>
  auto writeUncached(Work&& work) -> std::invoke_result_t<Work&, Session&> {
    return run(Kind::kUncachedWrite, work);
  }

  /// Returns a number that differs from the last one if rows may have changed since: immediately
  /// for commits of this object, within change_window (SQLite) or PostgresListener::kMaxDelay
  /// (PostgreSQL, usually a few milliseconds) for those of another process. Data that was read
  /// after the call stays valid as long as the number stays the same. Costs about two microseconds
  /// at most.
  ///
  /// SQLite notices commits in all tables. PostgreSQL notices those of other processes in the
  /// tables that AreaSchema::cached_tables lists, and only while startListening() is in effect and
  /// its connection works. Otherwise the result is empty: no data may be reused.
  std::optional<std::uint64_t> changeToken();

  using Receive = std::function<void(std::string_view text)>;
  /// The topic of commits in cached tables of PostgreSQL. The text is the name of the table.
  static constexpr std::string_view kRowsTopic = "rows";
  /// The topic of inserts into AreaSchema::queue_tables. The text is the name of the table.
  static constexpr std::string_view kInsertedTopic = "inserted";
  /// Calls `receive` for the messages of a topic that transactions of any process send
  /// (Session::notify()), those of this process included, on a thread of this object and without
  /// its locks. It must not block. An empty text says that messages may have been lost, or is the
  /// message. Messages arrive only between startListening() and stopListening().
  void subscribe(std::string_view topic, Receive receive);
  /// Starts to receive messages. Does nothing with SQLite: only one process uses the file, and the
  /// command line. Call both functions from one thread, after all subscriptions.
  void startListening();
  /// No subscriber is called after the return. Blocks for up to the connect timeout.
  void stopListening();

  Engine engine() const;

  /// Returns the present time of the database server, so that the schedules of several machines
  /// agree. SQLite has no server: `own`.
  Result<Timestamp> time(const Clock& own);

 private:
  enum class Kind { kRead, kWrite, kUncachedWrite };
  struct State;

  explicit Database(std::unique_ptr<State> state);

  template <class Work>
  auto run(Kind kind, Work& work) -> std::invoke_result_t<Work&, Session&> {
    std::optional<std::invoke_result_t<Work&, Session&>> answer;
    const std::function<bool(Session&)> attempt = [&](Session& session) {
      answer.emplace(work(session));
      return answer->has_value();
    };
    if (std::optional<Error> failed = runAttempts(kind, attempt)) return *std::move(failed);
    return *std::move(answer);
  }

  /// @return the error that replaces the result of the work, if any.
  std::optional<Error> runAttempts(Kind kind, const std::function<bool(Session&)>& attempt);

  std::unique_ptr<State> state_;
};

}  // namespace spindle::storage
