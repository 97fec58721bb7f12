#include "identity/store/audit_repository.h"

#include "identity/store/row_query.h"
#include "storage/database/columns.h"
#include "storage/database/database.h"
#include "storage/database/placeholders.h"

namespace spindle::identity {
namespace {

using storage::Columns, storage::Row, storage::Session;

/// Maximum number of entries deleted by one transaction.
constexpr std::int64_t kMaxExpiredEntries = 5'000;

const Columns<AuditEntry>& auditColumns() {
  static const Columns<AuditEntry> columns{{"id", &AuditEntry::id},
                                           {"created_at", &AuditEntry::created_at},
                                           {"actor_id", &AuditEntry::actor_id},
                                           {"actor", &AuditEntry::actor},
                                           {"credential", &AuditEntry::credential},
                                           {"action", &AuditEntry::action},
                                           {"target_id", &AuditEntry::target_id},
                                           {"target_name", &AuditEntry::target_name},
                                           {"team_id", &AuditEntry::team_id},
                                           {"team", &AuditEntry::team},
                                           {"project_id", &AuditEntry::project_id},
                                           {"project", &AuditEntry::project},
                                           {"address", &AuditEntry::address},
                                           {"user_agent", &AuditEntry::user_agent},
                                           {"request_id", &AuditEntry::request_id},
                                           {"details", &AuditEntry::details}};
  return columns;
}

const RowQuery<AuditEntry>& selectAuditEntries() {
  static const RowQuery<AuditEntry> entries(
      "SELECT " + auditColumns().list("a") + " FROM audit_entries a",
      [](const Row& row) { return auditColumns().read(row); }, "Audit entry not found");
  return entries;
}

/// Adds the condition of an action, or of all actions on a kind of target.
void addAction(const std::string& action, SqlText& where, storage::Params& params) {
  if (action.find('.') != std::string::npos) {
    where += "a.action = ? AND ";
    params.emplace_back(action);
    return;
  }
  where += "a.action > ? AND a.action < ? AND ";
  params.emplace_back(action + ".");
  params.emplace_back(action + "/");  // the character after the dot
}

}  // namespace

std::string_view AuditEntry::targetKind() const {
  return std::string_view(action).substr(0, action.find('.'));
}

Result<Page<AuditEntry>> AuditRepository::list(const AuditFilter& filter, const PageRequest& page) {
  if (filter.team_ids && filter.team_ids->empty()) return Page<AuditEntry>{};
  SqlText where("WHERE ");
  storage::Params params;
  if (filter.team_ids) {
    where += "a.team_id IN " + storage::placeholders(filter.team_ids->size()) + " AND ";
    for (const std::string& id : *filter.team_ids) params.emplace_back(id);
  }
  if (filter.team) {
    where += "a.team = ? AND ";
    params.emplace_back(*filter.team);
  }
  if (filter.actor) {
    where += "a.actor = ? AND ";
    params.emplace_back(*filter.actor);
  }
  if (filter.action) addAction(*filter.action, where, params);
  if (filter.since) {
    where += "a.created_at >= ? AND ";
    params.emplace_back(*filter.since);
  }
  if (filter.until) {
    where += "a.created_at < ? AND ";
    params.emplace_back(*filter.until);
  }
  where += "a.id < ? ORDER BY a.id DESC LIMIT ?";
  return selectAuditEntries().page(database_, where, params, page);
}

Result<std::int64_t> AuditRepository::removeBefore(Timestamp oldest) {
  return database_.write([&](Session& session) {
    return session.execute(
        "DELETE FROM audit_entries WHERE id IN (SELECT id FROM audit_entries WHERE created_at < ? "
        "ORDER BY created_at LIMIT ?)",
        {oldest, kMaxExpiredEntries});
  });
}

}  // namespace spindle::identity
