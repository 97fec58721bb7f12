#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

struct _duckdb_connection;          // NOLINT(bugprone-reserved-identifier): DuckDB's own name
struct _duckdb_prepared_statement;  // NOLINT(bugprone-reserved-identifier): DuckDB's own name

namespace spindle::columnar {

class Engine;

/// What a statement returned, a chunk of rows at a time. Used by one thread at a time; dies before
/// its connection, which runs nothing else meanwhile.
class Answer {
 public:
  struct State;
  explicit Answer(std::unique_ptr<State> state);
  Answer(Answer&&) noexcept;
  Answer& operator=(Answer&&) noexcept;
  ~Answer();

  /// Runs a statement whose parameters are bound; the rows are fetched as they are asked for.
  static Result<Answer> of(Engine& engine, _duckdb_prepared_statement* statement);
  /// Runs a statement for its effect.
  static Result<void> effectOf(Engine& engine, _duckdb_connection* connection, const char* sql);

  /// Moves to the next chunk, which has at least one row. @return false behind the last.
  Result<bool> nextChunk();
  std::size_t rows() const;  ///< of this chunk

  /// Fetches chunks that nextChunk() will give, until DuckDB has no more or there are so many rows
  /// or bytes of text. @return whether DuckDB is done with the statement.
  Result<bool> readAhead(std::size_t rows, std::size_t bytes);

  // A cell of this chunk; views hold until the next call of nextChunk(). The column has to be of
  // that kind: anything else stops the program. Null reads as an empty text, or as any number.
  bool isNull(std::size_t column, std::size_t row) const;
  std::int64_t integer(std::size_t column, std::size_t row) const;
  double real(std::size_t column, std::size_t row) const;
  bool boolean(std::size_t column, std::size_t row) const;
  Timestamp time(std::size_t column, std::size_t row) const;
  std::string_view text(std::size_t column, std::size_t row) const;
  std::vector<std::string> texts(std::size_t column, std::size_t row) const;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace spindle::columnar
