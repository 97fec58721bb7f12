#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
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

  /// Returns a number that differs from the last one if anything may have been committed since:
  /// immediately for commits of this object, within change_window for those of another process.
  /// Data that was read after the call stays valid as long as the number stays the same. Cheap with
  /// SQLite: a check of the database costs two microseconds, and the window saves most of them.
  /// Empty with PostgreSQL, which offers nothing cheaper than the query itself: then no data may be
  /// reused.
  std::optional<std::uint64_t> changeToken();

  Engine engine() const;

 private:
  enum class Kind { kRead, kWrite };
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
