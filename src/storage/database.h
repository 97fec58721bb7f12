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

#include "base/metrics.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"
#include "storage/dialect.h"
#include "storage/migration.h"
#include "storage/session.h"

namespace spindle::storage {

struct DatabaseOptions {
  Engine engine = Engine::kSqlite;
  std::string path;         ///< SQLite: the file
  Secret connection;        ///< PostgreSQL: a libpq connection text or postgresql:// URI
  std::size_t readers = 4;  ///< connections for read()
  std::size_t writers = 4;  ///< PostgreSQL: connections for write(); SQLite always has one
  /// For so long changeToken() may overlook what another process has committed.
  std::chrono::microseconds change_window{1000};
};

/// The metadata database. Thread-safe; every call blocks on disk or network: worker threads only.
/// The registry outlives the database, the database outlives all work given to it.
class Database {
 public:
  /// @throws std::runtime_error with a message for the operator when the database cannot be used.
  static std::unique_ptr<Database> open(const DatabaseOptions& options, MetricRegistry& metrics);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Brings the schema up to date: each missing migration in a transaction of its own, areas in the
  /// order given (an area after those its foreign keys point to). Several processes may start at
  /// once. Run at start.
  /// @throws std::runtime_error when the data was written by a newer program, or a step fails.
  void migrate(const std::vector<AreaSchema>& areas, Timestamp now);

  /// Runs `work(Session&)`, which returns some Result<T>, over one unchanging view of the data.
  /// May run it a second time after a lost connection.
  /// @return what the work returned, or kUnavailable.
  template <class Work>
  auto read(Work&& work) -> std::invoke_result_t<Work&, Session&> {
    return run(Kind::kRead, work);
  }

  /// Runs `work(Session&)`, which returns some Result<T>, as a transaction that behaves as if it
  /// ran alone. Committed, and on disk, when the work succeeded; undone when it returned an Error
  /// or threw. The work may run several times (a clash with another transaction, a lost
  /// connection), so it must not change anything but the session and its own locals.
  /// @return what the work returned, or kUnavailable.
  template <class Work>
  auto write(Work&& work) -> std::invoke_result_t<Work&, Session&> {
    return run(Kind::kWrite, work);
  }

  /// A number that is different whenever anything may have been committed since it was last asked
  /// for: through this object at once, by another process within change_window. What was read after
  /// asking stays true for as long as the number stays the same. Cheap with SQLite (a look at the
  /// database costs two microseconds, and the window spares most of them). Empty with PostgreSQL,
  /// which offers nothing cheaper than asking the question itself: then nothing read may be reused.
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

  /// @return the error that stands in place of the work's own answer, if any.
  std::optional<Error> runAttempts(Kind kind, const std::function<bool(Session&)>& attempt);

  std::unique_ptr<State> state_;
};

}  // namespace spindle::storage
