#pragma once

#include <cstdint>
#include <string_view>

#include "base/core/result.h"
#include "storage/database/forward.h"

namespace spindle::identity {

/// SQL access to the quotas of teams. The metadata database stores them, so that all processes that
/// share it enforce the same quotas inside their transactions, including command-line tools. The
/// server sets them from its settings at every start. Thread-safe; calls block on the database and
/// may return kUnavailable.
class QuotaRepository {
 public:
  explicit QuotaRepository(storage::Database& database) : database_(database) {}

  /// Limits the projects of each team; 0: no limit. Existing projects stay.
  Result<void> setProjectsPerTeam(std::int64_t limit);

 private:
  storage::Database& database_;
};

// For the other repositories of this area:

/// Checks that the team may have one more project. Runs in the transaction that inserts it, so that
/// concurrent writes cannot exceed the quota.
/// @return kPermissionDenied (`project_limit`).
Result<void> checkProjectQuota(storage::Session& session, std::string_view team_id);

}  // namespace spindle::identity
