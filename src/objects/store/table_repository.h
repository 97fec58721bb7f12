#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "objects/values/table.h"
#include "storage/database/forward.h"

namespace spindle::objects {

/// Tables, which are lists of row digests, and the rows of a project by digest. Never loads the
/// values of a whole table into memory. Thread-safe; all calls block on the database and may return
/// kUnavailable. Content with a digest is immutable, so results of several calls are consistent.
class TableRepository {
 public:
  TableRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Stores rows, and the table of these digests under its own digest. Accepts digests of rows that
  /// are not stored; such rows are omitted from responses until they are stored.
  /// @return kInvalidArgument for a digest that contains a line break.
  Result<void> create(std::string_view project_id,
                      std::string_view digest,
                      const std::vector<std::string>& row_digests,
                      const std::vector<NewRow>& rows);

  /// Returns the row digests of a table. @return kNotFound.
  Result<std::vector<std::string>> rowDigests(std::string_view project_id, std::string_view digest);

  /// Returns the statistics of the known tables, in the given order.
  Result<std::vector<TableStats>> stats(std::string_view project_id,
                                        const std::vector<std::string>& digests,
                                        bool with_sizes);

  /// Returns some thousand positions from `index` on; if `wanted` is not null, only those of its
  /// digests. An unknown table is at its end.
  Result<RowPositions> positionsFrom(std::string_view project_id,
                                     std::string_view digest,
                                     std::int64_t index,
                                     const DigestSet* wanted = nullptr);

  /// Returns the rows at these positions, in the same order, without rows that are not stored.
  Result<std::vector<TableRow>> rowsAt(std::string_view project_id,
                                       const std::vector<RowPosition>& positions);

  /// Returns the total size of the rows of a project, in bytes.
  Result<std::int64_t> storageSize(std::string_view project_id);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::objects
