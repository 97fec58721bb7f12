#pragma once

#include <chrono>
#include <string>

#include "base/core/result.h"
#include "base/core/time.h"
#include "inference/limits/nano_dollars.h"
#include "inference/limits/usage_limit.h"
#include "storage/database/forward.h"

namespace spindle::inference {

/// One period of a budget.
struct BudgetOfPeriod {
  LimitScope scope = LimitScope::kProject;
  std::string subject_id;
  BudgetPeriod period = BudgetPeriod::kMonth;
  Timestamp since = {};
};

/// Budgets that all nodes of a deployment share, in the metadata database. Each node reserves parts
/// of a budget and spends them without the database. Spent cost and reserved parts together never
/// exceed the budget. Thread-safe. All calls block and may return kUnavailable.
class SharedBudgets {
 public:
  /// A part that its node has not changed for this long counts as spent.
  static constexpr std::chrono::hours kAbandonedAfter{1};

  /// Whose usage a node has recorded.
  enum class Recorded { kOfThisNode, kOfAllNodes };

  /// `node_id` stays the same when the process restarts, `incarnation` does not.
  SharedBudgets(storage::Database& database,
                const Clock& schedule,
                std::string node_id,
                std::string incarnation,
                Recorded recorded)
      : database_(database),
        schedule_(schedule),
        node_id_(std::move(node_id)),
        incarnation_(std::move(incarnation)),
        recorded_(recorded) {}

  /// Removes the part of an earlier process of this node, and counts what that process had spent
  /// without an exchange: `recorded` contains it. With the usage of this node alone, that is exact.
  /// With the usage of all nodes, the spent cost becomes at least `recorded`, which may lack the
  /// usage of other nodes of the last second. This process must have exchanged what it has spent.
  Result<void> open(const BudgetOfPeriod& budget, NanoDollars recorded);

  struct Exchange {
    NanoDollars budget = 0;  ///< the whole budget
    NanoDollars spent = 0;   ///< by this node since its last exchange
    NanoDollars keep = 0;    ///< of the part of this node, without `spent`
    NanoDollars need = 0;    ///< more that this node needs
    NanoDollars want = 0;    ///< more that this node would like, at least `need`
  };
  /// Adds the spent cost and replaces the part of this node.
  /// @return the addition to `keep`: from `need` to `want`, or 0 if the budget has less than
  /// `need`.
  Result<NanoDollars> exchange(const BudgetOfPeriod& budget, const Exchange& exchange);

  /// Returns the spent cost of all nodes, without what they have not exchanged yet.
  Result<NanoDollars> spent(const BudgetOfPeriod& budget);

  /// Counts the parts of nodes that did not return as spent. @return their number.
  Result<std::int64_t> settleAbandoned();

 private:
  storage::Database& database_;
  const Clock& schedule_;
  const std::string node_id_;
  const std::string incarnation_;
  const Recorded recorded_;
};

}  // namespace spindle::inference
