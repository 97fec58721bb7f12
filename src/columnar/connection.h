#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sql_text.h"
#include "columnar/answer.h"
#include "columnar/engine.h"
#include "columnar/family.h"

namespace spindle::columnar {

/// A statement, made ready once and run many times. Dies before its connection.
class Statement {
 public:
  struct State;
  explicit Statement(std::unique_ptr<State> state);
  Statement(Statement&&) noexcept;
  Statement& operator=(Statement&&) noexcept;
  ~Statement();

  /// Runs it; the rows are fetched as the answer is read.
  Result<Answer> run(const std::vector<Value>& params = {});
  /// The same with one parameter, a list of numbers.
  Result<Answer> runWith(const std::vector<std::int64_t>& numbers);

 private:
  std::unique_ptr<State> state_;
};

/// One conversation with the engine. Used by one thread at a time; only interrupt() is for others.
/// Errors are those of Engine::errorOf().
class Connection {
 public:
  /// Takes the handle over.
  Connection(Engine& engine, _duckdb_connection* handle);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs one statement for its effect.
  Result<void> execute(SqlView sql);
  /// @return how many rows it changed.
  Result<std::int64_t> change(SqlView sql, const std::vector<Value>& params);
  Result<Statement> prepare(SqlView sql);
  /// Prepares and runs.
  Result<Answer> query(SqlView sql, const std::vector<Value>& params = {});

  /// Makes what runs now fail with kTimeout.
  void interrupt();

  Engine& engine() const { return engine_; }
  _duckdb_connection* handle() const { return handle_; }

 private:
  Engine& engine_;
  _duckdb_connection* handle_;
};

/// BEGIN, then COMMIT, or ROLLBACK when it dies without. Dies before its connection.
class Transaction {
 public:
  explicit Transaction(Connection& connection) : connection_(connection) {}
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  Result<void> begin();
  Result<void> commit();

 private:
  Connection& connection_;
  bool open_ = false;
};

}  // namespace spindle::columnar
