#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/opaque.h"
#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "columnar/duckdb/engine.h"
#include "columnar/duckdb/query_result.h"
#include "columnar/journal/family.h"

namespace spindle::columnar {

/// A prepared statement that can run many times. Must be destroyed before its connection.
class Statement {
 public:
  struct State;
  explicit Statement(std::unique_ptr<State> state);

  /// Runs the statement. Rows are fetched as the result is read.
  Result<QueryResult> run(const std::vector<Value>& params = {});
  /// Runs the statement with one parameter, a list of numbers.
  Result<QueryResult> runWith(const std::vector<std::int64_t>& numbers);

 private:
  OpaquePtr<State> state_;
};

/// A DuckDB connection. For one thread at a time; only interrupt() may be called by other threads.
/// Errors are those of Engine::errorOf().
class Connection {
 public:
  /// Takes ownership of the handle.
  Connection(Engine& engine, _duckdb_connection* handle);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs one statement that returns no rows.
  Result<void> execute(SqlView sql);
  /// Runs one statement. @return the number of rows that it changed.
  Result<std::int64_t> change(SqlView sql, const std::vector<Value>& params);
  Result<Statement> prepare(SqlView sql);
  /// Prepares and runs one statement.
  Result<QueryResult> query(SqlView sql, const std::vector<Value>& params = {});

  /// Makes the running statement fail with kTimeout.
  void interrupt();

  Engine& engine() const { return engine_; }
  _duckdb_connection* handle() const { return handle_; }

 private:
  Engine& engine_;
  _duckdb_connection* handle_;
};

/// Runs one statement and calls `visit(result, row)` for every row of its result.
template <class Visit>
Result<void> forEachRow(Connection& connection,
                        SqlView sql,
                        const std::vector<Value>& params,
                        Visit visit) {
  QueryResult result = TRY(connection.query(sql, params));
  while (TRY(result.nextChunk())) {
    for (std::size_t row = 0; row < result.rows(); ++row) visit(result, row);
  }
  return {};
}

template <class Visit>
Result<void> forEachRow(Connection& connection, SqlView sql, Visit visit) {
  return forEachRow(connection, sql, {}, std::move(visit));
}

/// A transaction: BEGIN, then COMMIT, or ROLLBACK in the destructor if it was not committed. Must
/// be destroyed before its connection.
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
