#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>

#include "base/result.h"
#include "columnar/connection.h"
#include "columnar/family.h"

namespace spindle::columnar {

/// Adds rows to one table, many at a time, within the connection's transaction. Used by one thread;
/// dies before its connection.
class RowAppender {
 public:
  enum class Catalog { kRecent, kStored };
  /// `table` is the bare name of a table whose columns are those of the rows and then as many
  /// BIGINT as there are numbers.
  static Result<RowAppender> open(Connection& connection,
                                  const std::string& table,
                                  Catalog catalog = Catalog::kRecent);
  RowAppender(RowAppender&&) noexcept;
  RowAppender& operator=(RowAppender&&) noexcept;
  ~RowAppender();

  /// Adds a row: these values, then these numbers.
  Result<void> add(const Row& row, std::initializer_list<std::int64_t> numbers);
  /// Hands what was added to the transaction. After an error nothing of it is there and the
  /// appender is of no more use.
  Result<void> flush();

 private:
  struct State;
  explicit RowAppender(std::unique_ptr<State> state);

  Result<void> passOn();

  std::unique_ptr<State> state_;
};

}  // namespace spindle::columnar
