#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "identity/page.h"
#include "identity/row_version.h"
#include "inference/spending.h"

namespace spindle::storage {
class Database;
}

namespace spindle::inference {

/// `day`, `month`, `total`.
std::string_view textOf(BudgetPeriod period);
std::optional<BudgetPeriod> budgetPeriodOf(std::string_view text);

/// A limit with the names that people know its subject by.
struct LimitEntry {
  UsageLimit limit;
  std::string team;                          ///< of the project
  std::string project;                       ///< its name; empty: the limit is of a key
  std::string key_name;                      ///< of a key: what its owner calls it
  std::string owner_id;                      ///< of a key
  std::string owner;                         ///< of a key: user name
  std::optional<std::string> owner_team_id;  ///< of a key of a service account: the account's team
};

/// What to change; what is not set stays, and an inner nothing takes the limit away.
struct LimitChange {
  std::optional<std::optional<std::int64_t>> concurrency = {};
  std::optional<std::optional<std::int64_t>> requests_per_minute = {};
  std::optional<std::optional<std::int64_t>> tokens_per_minute = {};
  std::optional<std::optional<double>> budget_usd = {};
  std::optional<BudgetPeriod> period = {};
};

struct LimitFilter {
  std::optional<std::string> project_id = {};
  std::optional<std::string> key_id = {};
  /// Only limits of projects that this user sees, of its own keys, and of the service accounts of
  /// teams that it administers. None: all there are.
  std::optional<std::string> seen_by = {};
};

/// Limits of projects and of keys, one for each at most; they go with their subject. Every change
/// counts the revision up in its own transaction. Thread-safe; calls block on the database and may
/// also return kUnavailable.
class LimitRepository {
 public:
  LimitRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// @return kConflict (`limit_exists`, or the subject is gone).
  Result<LimitEntry> insert(const UsageLimit& limit);
  /// @return kNotFound.
  Result<LimitEntry> find(std::string_view id);
  /// Newest first.
  Result<identity::Page<LimitEntry>> list(const LimitFilter& filter,
                                          const identity::PageRequest& page);
  /// @return kNotFound, kPreconditionFailed.
  Result<LimitEntry> update(std::string_view id,
                            const LimitChange& change,
                            identity::IfVersion if_version = {});
  /// @return kNotFound, kPreconditionFailed.
  Result<void> remove(std::string_view id, identity::IfVersion if_version = {});

  /// Whose a key is, by the part of it that is shown, in the form of a limit that has not been
  /// made.
  /// @return kNotFound.
  Result<LimitEntry> findKey(std::string_view key_id);

  Result<std::int64_t> revision();

  struct All {
    std::int64_t revision = 0;
    std::vector<UsageLimit> limits;
  };
  /// Everything at one moment.
  Result<All> load();

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::inference
