#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "storage/value.h"

namespace spindle::storage {

enum class TransactionKind {
  kRead,       ///< one unchanging view of the data; writing is refused
  kWrite,      ///< as if alone: what it read still holds when it commits
  kMigration,  ///< excludes every other migration, sees what they committed
};

/// What the last failure means for the transaction as a whole.
enum class Trouble {
  kNone,
  kRerun,  ///< it met another transaction: the same work, begun again, may well succeed
  kLost,   ///< the connection is gone and with it the transaction; a new one may work
};

/// What a statement came to: its rows, and how many rows it inserted, updated or deleted.
struct Outcome {
  Rows rows;
  std::int64_t changed = 0;
};

/// The message of a kStorageFull, for callers of the API.
inline constexpr std::string_view kDatabaseFull =
    "The disk of the database is full; nothing was changed. Free some space and try again.";

/// One connection to one engine. Internal to storage: areas see Session and Database.
/// Not thread-safe; the pool lends it to one thread at a time. Calls block.
class Connection {
 public:
  virtual ~Connection() = default;

  /// @return kUnavailable when the database is busy or out of reach; see trouble().
  virtual Result<void> begin(TransactionKind kind) = 0;
  virtual Result<void> commit() = 0;
  virtual void rollback() noexcept = 0;

  /// Runs one statement, prepared once per connection. Question marks take the parameters in order.
  /// @return kConflict when a unique or foreign key is violated, kInvalidArgument for a value that
  /// cannot be stored, kTooLarge, kStorageFull, kUnavailable. @throws SqlError for statements that
  /// are wrong.
  virtual Result<Outcome> run(std::string_view sql, const Params& params) = 0;

  Trouble trouble() const { return trouble_; }

 protected:
  Trouble trouble_ = Trouble::kNone;
};

}  // namespace spindle::storage
