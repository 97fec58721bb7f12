#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "storage/database/forward.h"

namespace spindle::identity {

/// A change for the audit log: what was done to which object. Never contains secret values.
struct AuditChange {
  /// `kind.verb`, such as `api_key.create`. The kind is that of the target. A literal: the table in
  /// docs/audit.md lists all actions.
  std::string_view action;
  std::string_view target_id = {};
  std::string_view target_name = {};
  std::string_view team_id = {};     ///< empty: the team of the project, or none
  std::string_view project_id = {};  ///< empty: none
  /// The user who acts, for a request without a credential such as a sign-in. Ignored if the
  /// request has a caller.
  std::string_view actor_id = {};
  std::string_view actor = {};  ///< its name
  /// Facts that help a reader, such as the new role. Shown as a JSON object of texts.
  std::vector<std::pair<std::string_view, std::string>> details = {};
};

/// Appends an entry to the audit log in the transaction of the change, which is thereby recorded if
/// and only if it is committed. Takes the actor from RequestOriginScope; a change without a request
/// was made by the server itself. Call it while the target's project and team still exist: the
/// entry stores their names.
Result<void> recordChange(storage::Session& session, const AuditChange& change, Timestamp now);

/// Records changes of data outside the metadata database. Thread-safe; calls block on the database.
class AuditTrail {
 public:
  AuditTrail(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Records a change that is made after this call returns: no such change is without an entry, but
  /// an entry may remain of a change that failed.
  Result<void> recordBefore(const AuditChange& change);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::identity
