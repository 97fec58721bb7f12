#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "storage/copy/table_list.h"
#include "storage/copy/table_page.h"

namespace spindle::storage {

/// Receives the number of rows that were just processed.
using RowsDone = std::function<void(std::int64_t rows)>;

/// Copies the rows of a table to the same table of another database, in the order of the key, in
/// transactions of one page each. Continues after the greatest key of the target, so a copy that
/// was interrupted at any moment can be repeated. The target table must be empty at first, and the
/// source must not change.
/// @return kUnavailable, kStorageFull; kConflict if the target has other rows.
Result<void> copyTable(Database& from,
                       Database& to,
                       const Table& table,
                       const PageLimits& limits,
                       const RowsDone& done);

/// Makes the automatic numbers of the target table continue after those of the source table, also
/// after numbers of deleted rows. Does nothing for a table without automatic numbers.
Result<void> copyNextNumber(Database& from, Database& to, const Table& table);

/// Deletes all rows of the tables, which are in the order of readTables(), and whatever else `also`
/// does, in one transaction.
Result<void> emptyTables(Database& database,
                         const std::vector<Table>& tables,
                         const std::function<Result<void>(Session& session)>& also);

Result<std::int64_t> countRows(Database& database, const Table& table);

/// Result of a comparison of one table in two databases.
struct TableComparison {
  std::int64_t from_rows = 0;
  std::int64_t to_rows = 0;
  std::int64_t differing = 0;         ///< rows that are different, or exist on one side only
  std::vector<std::string> examples;  ///< keys of such rows, at most kMostExamples
  std::string digest;                 ///< SHA-256 of all rows of the source, in hexadecimal

  bool equal() const { return differing == 0; }
};

inline constexpr std::size_t kMostExamples = 5;

/// Compares all rows of a table in two databases.
Result<TableComparison> compareTable(Database& from,
                                     Database& to,
                                     const Table& table,
                                     const PageLimits& limits,
                                     const RowsDone& done);

}  // namespace spindle::storage
