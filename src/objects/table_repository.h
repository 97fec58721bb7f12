#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "objects/table.h"

namespace spindle::storage {
class Database;
}

namespace spindle::objects {

/// Tables: lists of row digests, and the rows of a project by digest. Nothing here holds the values
/// of a whole table in memory. Thread-safe; calls block on the database, and every one may return
/// kUnavailable. What has a digest never changes, so answers of several calls fit together.
class TableRepository {
 public:
  TableRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Keeps rows, and the table of these digests under its own. Digests of rows that nobody has sent
  /// are taken: such a row is left out of answers until it comes.
  /// @return kInvalidArgument for a digest with a line end in it.
  Result<void> create(std::string_view project_id,
                      std::string_view digest,
                      const std::vector<std::string>& row_digests,
                      const std::vector<NewRow>& rows);

  /// @return kNotFound.
  Result<std::vector<std::string>> rowDigests(std::string_view project_id, std::string_view digest);

  /// The known ones of these tables, in the order asked.
  Result<std::vector<TableStats>> stats(std::string_view project_id,
                                        const std::vector<std::string>& digests,
                                        bool with_sizes);

  /// Some thousand places from `index` on, those of `wanted` digests only when it is not null. An
  /// unknown table is at its end.
  Result<RowPlaces> placesFrom(std::string_view project_id,
                               std::string_view digest,
                               std::int64_t index,
                               const DigestSet* wanted = nullptr);

  /// The rows at these places, in the same order; those that are not there are left out.
  Result<std::vector<TableRow>> rowsAt(std::string_view project_id,
                                       const std::vector<RowPlace>& places);

  /// Bytes of all rows of a project.
  Result<std::int64_t> storageSize(std::string_view project_id);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::objects
