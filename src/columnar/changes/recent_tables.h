#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/core/result.h"
#include "columnar/duckdb/connection.h"
#include "columnar/duckdb/row_appender.h"
#include "columnar/journal/numbers.h"

namespace spindle::columnar {

/// Write access to the in-memory tables of one generation, within the transaction of its
/// connection. For the writer. Must be destroyed before the connection.
class RecentTables {
 public:
  RecentTables(Connection& connection,
               const std::vector<Family>& families,
               GenerationNumber generation)
      : connection_(connection), families_(families), generation_(generation) {}

  Result<void> add(TableKey table, const Row& row, RowNumber number);
  Result<void> addSuperseded(TableKey table, RowNumber number);
  Result<void> remove(FamilyId family, const std::vector<RowNumber>& numbers);
  /// Passes all added rows to the transaction.
  Result<void> flush();
  /// Discards rows that were added and not flushed.
  void discard();

 private:
  Connection& connection_;
  const std::vector<Family>& families_;
  const GenerationNumber generation_;
  std::map<FamilyId, RowAppender> appenders_;
  std::optional<RowAppender> superseded_;
  std::map<FamilyId, Statement> removals_;
};

}  // namespace spindle::columnar
