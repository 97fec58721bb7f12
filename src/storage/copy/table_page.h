#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/core/sql_text.h"
#include "storage/copy/table_list.h"

namespace spindle::storage {

/// Limits of one page of rows.
struct PageLimits {
  std::size_t rows = 512;
  std::size_t bytes = 8UL << 20;  ///< of texts; a single larger row is a page of its own
};

/// The values of the key of a row.
using RowKey = Params;

/// Returns the values of a row that TablePages::read() returned, in the order of Table::columns.
Params valuesOf(const Row& row, const Table& table);

/// Reads and writes the rows of a table in the order of their keys. Internal to storage/copy.
class TablePages {
 public:
  /// @throws SqlError if a name of the table is not an identifier.
  /// `table` must outlive this object.
  explicit TablePages(const Table& table);

  /// Returns the rows after a key, or the first ones. None at the end.
  Result<Rows> read(Session& session,
                    const std::optional<RowKey>& after,
                    const PageLimits& limits) const;
  /// Adds rows that read() returned.
  Result<void> insert(Session& session, const Rows& rows) const;
  /// Returns the greatest key, or nothing for an empty table.
  Result<std::optional<RowKey>> lastKey(Session& session) const;

  /// Returns the key of a row that read() returned.
  RowKey keyOf(const Row& row) const;

 private:
  /// Returns the number of rows of the next page.
  Result<std::int64_t> rowsOfPage(Session& session,
                                  const std::optional<RowKey>& after,
                                  const PageLimits& limits) const;
  SqlText afterKey(bool bounded) const;

  const Table& table_;
  SqlText name_;
  SqlText columns_;
  SqlText bytes_;  ///< the size of the texts of a row; empty for a table without texts
  SqlText key_;
  SqlText key_descending_;
  std::vector<std::size_t> key_positions_;  ///< in Table::columns
};

}  // namespace spindle::storage
