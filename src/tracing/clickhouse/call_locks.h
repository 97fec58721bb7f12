#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"

namespace spindle::storage {
class Database;
}

namespace spindle::tracing {

/// Exclusive locks of calls. ClickHouse cannot read and change a row in one step, so a part of a
/// call is merged into the known state under the lock of the call. Thread-safe; blocks.
class CallLocks {
 public:
  virtual ~CallLocks() = default;

  /// Runs `work` while the caller has the locks of these calls of a project. `work` may run several
  /// times, and must give the same result then. @return its result; kUnavailable.
  virtual Result<void> run(std::string_view project_id,
                           const std::vector<std::string>& ids,
                           const std::function<Result<void>()>& work) = 0;
};

/// Returns the numbers of the locks of calls, in ascending order and without repetition. Locks are
/// taken in this order, so that two writers never wait for each other. Few calls share a number.
std::vector<std::int64_t> lockNumbers(std::string_view project_id,
                                      const std::vector<std::string>& ids);

/// Locks for a deployment of one process.
class ProcessCallLocks final : public CallLocks {
 public:
  Result<void> run(std::string_view project_id,
                   const std::vector<std::string>& ids,
                   const std::function<Result<void>()>& work) override;

 private:
  Mutex mutex_;
  Condition released_;
  std::set<std::int64_t> taken_ SPINDLE_GUARDED_BY(mutex_);
};

/// Advisory locks of the PostgreSQL database that all nodes share. A run occupies a connection for
/// writing until the rows are stored. A run over many calls excludes all others of its project.
class PostgresCallLocks final : public CallLocks {
 public:
  /// The database is PostgreSQL and must outlive this object.
  explicit PostgresCallLocks(storage::Database& database) : database_(database) {}

  Result<void> run(std::string_view project_id,
                   const std::vector<std::string>& ids,
                   const std::function<Result<void>()>& work) override;

 private:
  storage::Database& database_;
};

}  // namespace spindle::tracing
