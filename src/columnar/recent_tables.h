#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/result.h"
#include "columnar/connection.h"
#include "columnar/numbers.h"
#include "columnar/row_appender.h"

namespace spindle::columnar {

/// The writer's hand on the tables of one generation: everything happens in the transaction of its
/// connection. Dies before the connection.
class RecentTables {
 public:
  RecentTables(Connection& connection,
               const std::vector<Family>& families,
               GenerationNumber generation)
      : connection_(connection), families_(families), generation_(generation) {}

  Result<void> add(TableKey table, const Row& row, RowNumber number);
  Result<void> addSuperseded(TableKey table, RowNumber number);
  Result<void> remove(FamilyId family, const std::vector<RowNumber>& numbers);
  /// Hands all that was added to the transaction.
  Result<void> flush();
  /// Forgets what was added and not flushed.
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
