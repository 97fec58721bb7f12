#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "columnar/duckdb/connection.h"
#include "columnar/journal/numbers.h"
#include "columnar/tables/runs.h"

namespace spindle::columnar {

/// One entry of the statistics: rows that were added to the file together, or a summary of several
/// additions.
struct StatisticsRow {
  TableKey table;
  bool shared = false;  ///< the rows are in the family's shared table
  std::int64_t rows = 0;
  std::string max_key;     ///< of the ordered keys (Family::isOrderedKey)
  std::optional<Run> run;  ///< of the rows with an order time
};

/// The table `store_statistics` of the file. Additions are appended; readers sum the entries of a
/// partition. All functions run in the transaction of the connection.
class StatisticsTable {
 public:
  explicit StatisticsTable(const std::vector<Family>& families) : families_(families) {}

  Result<void> create(Connection& connection) const;
  /// Passes all entries of known families to `visit`.
  Result<void> load(Connection& connection,
                    const std::function<void(const StatisticsRow&)>& visit) const;
  Result<void> append(Connection& connection, const std::vector<StatisticsRow>& rows) const;
  Result<void> removeAll(Connection& connection) const;
  Result<void> remove(Connection& connection,
                      FamilyId family,
                      const std::vector<PartitionNumber>& partitions) const;
  /// Removes the entries of these partitions in all families.
  Result<void> remove(Connection& connection, const std::vector<PartitionNumber>& partitions) const;

 private:
  const std::vector<Family>& families_;
};

}  // namespace spindle::columnar
