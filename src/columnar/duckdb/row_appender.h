#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>

#include "base/core/opaque.h"
#include "base/core/result.h"
#include "columnar/duckdb/connection.h"
#include "columnar/journal/family.h"

namespace spindle::columnar {

/// Appends rows to one table in bulk, within the connection's transaction. For one thread. Must be
/// destroyed before its connection.
class RowAppender {
 public:
  enum class Catalog { kRecent, kStored };
  /// `table` is the unqualified name of a table with the columns of the rows, followed by one
  /// BIGINT column per number.
  static Result<RowAppender> open(Connection& connection,
                                  const std::string& table,
                                  Catalog catalog = Catalog::kRecent);

  /// Appends a row: the values, then the numbers.
  Result<void> add(const Row& row, std::initializer_list<std::int64_t> numbers);
  /// Passes all added rows to the transaction. After an error none of them remain and the appender
  /// is unusable.
  Result<void> flush();

 private:
  struct State;
  explicit RowAppender(std::unique_ptr<State> state);

  Result<void> appendChunk();

  OpaquePtr<State> state_;
};

}  // namespace spindle::columnar
