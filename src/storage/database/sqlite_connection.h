#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "storage/database/connection.h"

namespace spindle::storage {

enum class SqliteRole { kWriter, kReader };

/// A connection to a SQLite file in WAL mode. Every commit is synced before it returns.
class SqliteConnection final : public Connection {
 public:
  /// Creates the file if it is missing.
  /// @throws std::runtime_error that says what is wrong with the file.
  SqliteConnection(const std::string& path, SqliteRole role);
  ~SqliteConnection() override;

  Result<void> begin(TransactionKind kind) override;
  Result<void> commit() override;
  void rollback() noexcept override;
  Result<StatementResult> run(SqlView sql, const Params& params) override;

  /// Returns a number that differs from the last one if any other connection, of this process or
  /// another, has committed since. Empty if the file cannot be read.
  std::optional<std::uint64_t> dataVersion();

 private:
  struct State;

  Error translate(int code);
  std::unique_ptr<State> state_;
};

}  // namespace spindle::storage
