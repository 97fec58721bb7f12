#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/crypto/secret.h"
#include "storage/database/connection.h"

namespace spindle::storage {

/// Returns the connection string with timeouts, unless it has its own. Without them, libpq waits
/// for an unreachable host, or one that has disappeared, as long as the kernel does.
std::string withTimeouts(std::string_view connection);

/// A connection to PostgreSQL. Write transactions are SERIALIZABLE: after a conflict, a transaction
/// fails with TransactionFault::kConflict instead of committing on stale reads.
class PostgresConnection final : public Connection {
 public:
  /// `connection` is a libpq connection string or a postgresql:// URI.
  /// @throws std::runtime_error that says why the server cannot be reached.
  explicit PostgresConnection(const Secret& connection);
  ~PostgresConnection() override;

  Result<void> begin(TransactionKind kind) override;
  Result<void> commit() override;
  void rollback() noexcept override;
  Result<StatementResult> run(SqlView sql, const Params& params) override;
  Result<void> notify(std::string_view topic, std::string_view text) override;

 private:
  struct State;

  Result<void> runCommand(SqlView sql);
  Error translate(std::string_view sql_state, const std::string& why);
  std::unique_ptr<State> state_;
};

}  // namespace spindle::storage
