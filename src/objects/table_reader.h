#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/table.h"

namespace spindle::objects {

class TableRepository;

/// The rows that a query wants of one table, some at a time: memory does not grow with the table,
/// whether rows are taken in place, filtered or sorted. A sorted query without a limit keeps the
/// order of all its rows, a few hundred bytes each.
/// One thread at a time; blocks on the database.
class TableReader {
 public:
  /// `tables` must outlive this.
  TableReader(TableRepository& tables,
              std::string_view project_id,
              std::string_view digest,
              TableQuery query);

  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  /// The next rows; none at the end. @return kUnavailable.
  Result<std::vector<TableRow>> next();

 private:
  /// The next places of the table that pass the filter; none at the end.
  Result<std::vector<RowPlace>> nextPlaces();
  Result<std::vector<RowPlace>> sorted();
  /// Fills `places_` when it is used up. False at the end.
  Result<bool> refill();

  TableRepository& tables_;
  std::string project_id_;
  std::string digest_;
  TableQuery query_;
  DigestSet wanted_;  ///< views of the filter's digests

  std::int64_t scanned_ = 0;  ///< the first place that was not looked at yet
  bool scanned_all_ = false;
  std::int64_t skip_ = 0;  ///< of places that pass
  std::optional<std::int64_t> left_;
  std::vector<RowPlace> places_;
  std::size_t used_ = 0;  ///< of `places_`
  bool ended_ = false;
};

}  // namespace spindle::objects
