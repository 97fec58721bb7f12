#pragma once

#include <cstdint>
#include <string>

#include "base/core/result.h"
#include "base/core/time.h"
#include "storage/database/forward.h"

namespace spindle::registry {

/// Deletes removed versions in steps: `PENDING_DELETION`, then `DELETED`, then `GARBAGE_COLLECTED`.
/// The last step deletes the records of files that no other version of the team has;
/// storage::BlobCollector deletes their bytes. Each step is one transaction, so that the next pass
/// continues after a crash at any point. Not thread-safe; calls block on the database. Every call
/// can return kUnavailable.
class VersionGarbageCollector {
 public:
  VersionGarbageCollector(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Advances a limited number of versions by one step. Returns their number.
  Result<std::int64_t> advance();

  /// Checks the next file records of teams, and deletes those older than two days that no version
  /// uses, such as files of abandoned uploads and deleted projects. Continues after the last
  /// checked record, and starts again at the end. Returns the number of deleted records.
  Result<std::int64_t> deleteUnusedFiles();

 private:
  storage::Database& database_;
  const Clock& clock_;
  // Key of the last checked record.
  std::string team_id_;
  std::string digest_;
};

}  // namespace spindle::registry
