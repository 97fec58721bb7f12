#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/store/page.h"
#include "identity/store/row_version.h"
#include "inference/limits/limit_cache.h"
#include "inference/limits/usage_limit.h"
#include "storage/database/forward.h"

namespace spindle::inference {

/// A limit with the names of its subject. The members about a key are empty for the limit of a
/// project, and vice versa.
struct LimitEntry {
  UsageLimit limit;
  std::string team;                          ///< name of the project's team
  std::string project;                       ///< name of the project
  std::string key_name;                      ///< name of the key
  std::string owner_id;                      ///< user id of the key's owner
  std::string owner;                         ///< user name of the key's owner
  std::optional<std::string> owner_team_id;  ///< team of the service account that owns the key
};

/// A change of a limit; unset members stay unchanged, and an inner nullopt removes the value.
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
  /// Only limits of projects that this user sees, of the user's own keys, and of the service
  /// accounts of teams that the user administers. If absent, all limits.
  std::optional<std::string> seen_by = {};
};

/// Stores the limits of projects and API keys, at most one for each. A limit is deleted with its
/// subject. Every change increments the revision in the same transaction. Thread-safe. All calls
/// block on the database and may also return kUnavailable.
class LimitRepository {
 public:
  LimitRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Adds a limit. @return kConflict (`limit_exists`, or the subject no longer exists).
  Result<LimitEntry> insert(UsageLimit limit);
  /// @return kNotFound.
  Result<LimitEntry> find(std::string_view id);
  /// Lists limits, the newest first.
  Result<identity::Page<LimitEntry>> list(const LimitFilter& filter,
                                          const identity::PageRequest& page);
  /// @return kNotFound, kPreconditionFailed.
  Result<LimitEntry> update(std::string_view id,
                            const LimitChange& change,
                            identity::IfVersion if_version = {});
  /// @return kNotFound, kPreconditionFailed.
  Result<void> remove(std::string_view id, identity::IfVersion if_version = {});

  /// Finds an API key and its owner by the `key_id`. Returns them as an entry without a stored
  /// limit. @return kNotFound.
  Result<LimitEntry> findKey(std::string_view key_id);

  Result<std::int64_t> revision();

  /// Loads a consistent snapshot of all limits.
  Result<Limits> load();

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::inference
