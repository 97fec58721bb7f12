#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/store/page.h"
#include "storage/database/forward.h"

namespace spindle::identity {

/// An entry of the audit log. Names are those at the time of the change.
struct AuditEntry {
  std::string id;
  Timestamp created_at;
  std::optional<std::string> actor_id;  ///< empty: the server itself, or nobody who is signed in
  std::optional<std::string> actor;     ///< user name
  std::optional<std::string> credential;
  std::string action;  ///< `kind.verb`
  std::optional<std::string> target_id;
  std::optional<std::string> target_name;
  std::optional<std::string> team_id;
  std::optional<std::string> team;
  std::optional<std::string> project_id;
  std::optional<std::string> project;
  std::optional<std::string> address;
  std::optional<std::string> user_agent;
  std::optional<std::string> request_id;
  std::optional<std::string> details;  ///< a JSON object of texts

  std::string_view targetKind() const;
};

/// The entries to read. Members without a value select all entries.
struct AuditFilter {
  /// Only entries of these teams; an empty list selects none.
  std::optional<std::vector<std::string>> team_ids = {};
  std::optional<std::string> team = {};    ///< the name at the time of the change
  std::optional<std::string> actor = {};   ///< user name
  std::optional<std::string> action = {};  ///< an action, or the kind of its target
  std::optional<Timestamp> since = {};
  std::optional<Timestamp> until = {};  ///< exclusive
};

/// Reads and expires the audit log; identity/audit writes it. Thread-safe; calls block on the
/// database and may return kUnavailable.
class AuditRepository {
 public:
  explicit AuditRepository(storage::Database& database) : database_(database) {}

  /// Lists entries, newest first.
  Result<Page<AuditEntry>> list(const AuditFilter& filter, const PageRequest& page);

  /// Deletes entries that are older than `oldest`, a bounded number per call.
  /// @return the number of deleted entries.
  Result<std::int64_t> removeBefore(Timestamp oldest);

 private:
  storage::Database& database_;
};

}  // namespace spindle::identity
