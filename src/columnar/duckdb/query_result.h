#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/opaque.h"
#include "base/core/result.h"
#include "base/core/time.h"

struct _duckdb_connection;          // NOLINT(bugprone-reserved-identifier): DuckDB's own name
struct _duckdb_prepared_statement;  // NOLINT(bugprone-reserved-identifier): DuckDB's own name

namespace spindle::columnar {

class Engine;

/// Rows that a statement returned, read one chunk at a time. For one thread at a time. Must be
/// destroyed before its connection, which runs no other statement until then.
class QueryResult {
 public:
  struct State;
  explicit QueryResult(std::unique_ptr<State> state);

  /// Runs a statement whose parameters are bound. Rows are fetched on demand.
  static Result<QueryResult> of(Engine& engine, _duckdb_prepared_statement* statement);
  /// Runs a statement that returns no rows.
  static Result<void> executeOnly(Engine& engine, _duckdb_connection* connection, const char* sql);

  /// Moves to the next chunk, which has at least one row. @return false after the last chunk.
  Result<bool> nextChunk();
  std::size_t rows() const;  ///< in the current chunk

  /// Fetches chunks for later nextChunk() calls until DuckDB has no more, or until `rows` rows or
  /// `bytes` bytes of text are buffered. @return true if DuckDB has completed the statement.
  Result<bool> readAhead(std::size_t rows, std::size_t bytes);

  // Cells of the current chunk. Views are valid until the next nextChunk(). A read with the wrong
  // column type aborts the program. Null reads as an empty text or as an unspecified number.
  bool isNull(std::size_t column, std::size_t row) const;
  std::int64_t integer(std::size_t column, std::size_t row) const;
  double real(std::size_t column, std::size_t row) const;
  bool boolean(std::size_t column, std::size_t row) const;
  Timestamp time(std::size_t column, std::size_t row) const;
  std::string_view text(std::size_t column, std::size_t row) const;
  std::vector<std::string> texts(std::size_t column, std::size_t row) const;

 private:
  OpaquePtr<State> state_;
};

}  // namespace spindle::columnar
