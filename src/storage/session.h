#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "base/sql_text.h"
#include "storage/value.h"

namespace spindle::storage {

class Connection;

/// A transaction in progress, as Database::read() and write() lend it. One SQL text serves both
/// engines: `?` stands for a parameter, LIMIT, ON CONFLICT, RETURNING and lower-case folding in
/// code are common ground. Used by one thread; not kept beyond the call it was passed to.
///
/// After a statement has failed the transaction is lost, on every engine: later statements return
/// the same error and nothing is committed. To go on after a clash, write ON CONFLICT DO NOTHING
/// and look at the count.
class Session {
 public:
  explicit Session(Connection& connection) : connection_(connection) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// @return the rows, or kConflict (unique or foreign key), kInvalidArgument (a text that is not
  /// UTF-8 or holds NUL, a number that is not finite), kTooLarge, kUnavailable.
  /// @throws SqlError when the statement itself is wrong.
  Result<Rows> query(SqlView sql, const Params& params = {});

  /// As query(), for at most one row of interest.
  Result<std::optional<Row>> queryOne(SqlView sql, const Params& params = {});

  /// As query(). @return how many rows were inserted, updated or deleted.
  Result<std::int64_t> execute(SqlView sql, const Params& params = {});

  /// The error of the statement that lost this transaction, if any.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  Connection& connection_;
  std::optional<Error> failure_;
};

}  // namespace spindle::storage
