#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "storage/database/value.h"

namespace spindle::storage {

class Connection;

/// A running transaction, passed to the work of Database::read() and write(). The same SQL text
/// works on both engines: `?` for parameters, LIMIT, ON CONFLICT, RETURNING, and lower-case folding
/// in code. For one thread; invalid after the call that it was passed to.
///
/// After a failed statement the transaction is lost, on every engine: later statements return the
/// same error and nothing is committed. To continue after a key conflict, write ON CONFLICT DO
/// NOTHING and check the row count.
class Session {
 public:
  explicit Session(Connection& connection) : connection_(connection) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Runs a statement.
  /// @return the rows, or kConflict (unique or foreign key), kInvalidArgument (a text that is not
  /// UTF-8 or contains NUL, a number that is not finite), kTooLarge, kUnavailable.
  /// @throws SqlError if the statement itself is wrong.
  Result<Rows> query(SqlView sql, const Params& params = {});

  /// As query(). @return the first row, if any.
  Result<std::optional<Row>> queryOne(SqlView sql, const Params& params = {});

  /// As query(). @return the number of inserted, updated or deleted rows.
  Result<std::int64_t> execute(SqlView sql, const Params& params = {});

  /// Sends a message to the subscribers (Database::subscribe()) of all processes at the commit.
  /// Equal messages of a transaction are sent once. Does nothing with SQLite. The topic has no
  /// spaces; topic and text together have at most kMaxMessage bytes.
  Result<void> notify(std::string_view topic, std::string_view text = {});
  static constexpr std::size_t kMaxMessage = 7'900;

  /// Returns the error of the failed statement that ended this transaction, if any.
  const std::optional<Error>& failure() const { return failure_; }
  /// Returns the number of rows that the transaction has inserted, updated or deleted so far.
  std::int64_t changedRows() const { return changed_rows_; }

 private:
  Connection& connection_;
  std::optional<Error> failure_;
  std::int64_t changed_rows_ = 0;
};

/// Returns `read(const Row&)` of every row of a query, in order, or the error of the query:
///
///     return collectRows(session.query("SELECT id FROM teams"), idAt);
template <class Read, class Record = std::decay_t<std::invoke_result_t<Read, const Row&>>>
Result<std::vector<Record>> collectRows(const Result<Rows>& rows, Read read) {
  if (!rows) return rows.error();
  return collectRows(*rows, std::move(read));
}

}  // namespace spindle::storage
