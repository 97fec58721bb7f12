#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "storage/database/value.h"

namespace spindle::storage {

enum class TransactionKind {
  kRead,       ///< one snapshot of the data; writes are rejected
  kWrite,      ///< serializable: the rows that it read are unchanged when it commits
  kMigration,  ///< excludes all other migrations and sees their commits
};

/// The effect of the last failure on the transaction.
enum class TransactionFault {
  kNone,
  kConflict,        ///< a conflict with another transaction; a retry of the same work may succeed
  kConnectionLost,  ///< the connection and its transaction are lost; a new connection may work
};

/// The result of a statement: its rows, and the number of inserted, updated or deleted rows.
struct StatementResult {
  Rows rows;
  std::int64_t changed = 0;
};

/// The message of a kStorageFull error, for API clients.
inline constexpr std::string_view kDatabaseFull =
    "The disk of the database is full; nothing was changed. Free some space and try again.";

/// A connection that has this many prepared statements closes them before it prepares another one.
inline constexpr std::size_t kMaxCachedStatements = 256;

/// One connection to one database engine. Internal to storage: other areas use Session and
/// Database. Not thread-safe; the pool lends it to one thread at a time. Calls block.
class Connection {
 public:
  virtual ~Connection() = default;

  /// @return kUnavailable if the database is busy or unreachable; see fault().
  virtual Result<void> begin(TransactionKind kind) = 0;
  virtual Result<void> commit() = 0;
  virtual void rollback() noexcept = 0;

  /// Runs one statement, prepared once per connection. Question marks take the parameters in order.
  /// @return kConflict if a unique or foreign key is violated, kInvalidArgument for a value that
  /// cannot be stored, kTooLarge, kStorageFull, kUnavailable.
  /// @throws SqlError for wrong SQL.
  virtual Result<StatementResult> run(SqlView sql, const Params& params) = 0;

  /// Sends a message to all listeners after the commit; see Session::notify(). Engines that only
  /// one process can use send nothing.
  virtual Result<void> notify(std::string_view /*topic*/, std::string_view /*text*/) { return {}; }

  TransactionFault fault() const { return fault_; }

 protected:
  TransactionFault fault_ = TransactionFault::kNone;
};

}  // namespace spindle::storage
