#include "tracing/metadata/retention_repository.h"

#include <memory>

#include "identity/audit/audit_trail.h"
#include "storage/database/database.h"

namespace spindle::tracing {

using Days = std::optional<std::int64_t>;

Result<Days> RetentionRepository::days(std::string_view project_id) {
  const std::optional<std::uint64_t> token = database_.changeToken();
  if (token) {
    if (const std::shared_ptr<const Days> known = cache_.find(project_id, *token)) return *known;
  }
  Result<Days> read = database_.read([project_id](storage::Session& session) -> Result<Days> {
    std::optional<storage::Row> row =
        TRY(session.queryOne("SELECT days FROM call_retention WHERE project_id = ?", {project_id}));
    return row ? Days(row->integer("days")) : Days();
  });
  if (read && token) cache_.put(project_id, *token, std::make_shared<const Days>(*read));
  return read;
}

Result<void> RetentionRepository::setDays(std::string_view project_id, Days days) {
  if (days && *days < 1)
    return Error::invalidArgument("retention_days must be at least 1, or null to keep for ever");
  return database_.write([&](storage::Session& session) -> Result<void> {
    TRY(days ? session.execute(
                   "INSERT INTO call_retention (project_id, days, updated_at) VALUES (?, ?, ?) "
                   "ON CONFLICT (project_id) DO UPDATE SET days = excluded.days, "
                   "updated_at = excluded.updated_at",
                   {project_id, *days, clock_.now()})
             : session.execute("DELETE FROM call_retention WHERE project_id = ?", {project_id}));
    return identity::recordChange(
        session,
        {.action = "retention.update",
         .target_id = project_id,
         .project_id = project_id,
         .details = {{"days", days ? std::to_string(*days) : "unlimited"}}},
        clock_.now());
  });
}

}  // namespace spindle::tracing
