#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "objects/values/table.h"

namespace spindle::objects {

class TableRepository;

/// Reads the rows of a table query in batches, so memory use does not grow with the table, also
/// with a filter or a sort order. A sorted query without a limit keeps the sort keys of all its
/// rows, a few hundred bytes each. For one thread at a time; blocks on the database.
class TableReader {
 public:
  /// `tables` must outlive this object.
  TableReader(TableRepository& tables,
              std::string_view project_id,
              std::string_view digest,
              TableQuery query);

  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  /// Returns the next rows; none at the end. @return kUnavailable.
  Result<std::vector<TableRow>> next();

 private:
  /// Returns the next positions that pass the filter; none at the end.
  Result<std::vector<RowPosition>> nextPositions();
  Result<std::vector<RowPosition>> sorted();
  /// Refills `positions_` when it is used up. Returns false at the end.
  Result<bool> refill();

  TableRepository& tables_;
  std::string project_id_;
  std::string digest_;
  TableQuery query_;
  DigestSet wanted_;  ///< views of the filter's digests

  std::int64_t scanned_ = 0;  ///< first position that was not read yet
  bool scanned_all_ = false;
  std::int64_t skip_ = 0;  ///< number of matching positions to skip
  std::optional<std::int64_t> left_;
  std::vector<RowPosition> positions_;
  std::size_t used_ = 0;  ///< number of used items of `positions_`
  bool ended_ = false;
};

}  // namespace spindle::objects
