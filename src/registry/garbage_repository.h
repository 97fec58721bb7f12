#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace spindle::storage {
class Database;
}

namespace spindle::registry {

/// Takes leave of versions that are gone: `PENDING_DELETION`, then `DELETED`, then
/// `GARBAGE_COLLECTED`, when the files that no other version of the team has are no longer known;
/// their bytes go with storage::BlobCollector. Every step is a transaction of its own, so that a
/// stop at any point leaves something that the next pass goes on with. One thread; blocks on the
/// database, and every call may return kUnavailable.
class GarbageRepository {
 public:
  GarbageRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// A moderate number of versions. @return how many took a step.
  Result<std::int64_t> advance();

  /// Looks at the next files that teams have brought, and forgets those older than two days that no
  /// version needs: of uploads that were given up, of projects that are gone. Begins anew behind
  /// the last. @return how many.
  Result<std::int64_t> forgetFiles();

 private:
  storage::Database& database_;
  const Clock& clock_;
  // The last file that was looked at.
  std::string team_id_;
  std::string digest_;
};

}  // namespace spindle::registry
