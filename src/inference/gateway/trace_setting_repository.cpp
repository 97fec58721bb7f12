#include "inference/gateway/trace_setting_repository.h"

#include <cstdint>
#include <memory>
#include <optional>

#include "identity/audit/audit_trail.h"
#include "storage/database/database.h"

namespace spindle::inference {

Result<bool> TraceSettingRepository::isTraced(std::string_view project_id) {
  const std::optional<std::uint64_t> token = database_.changeToken();
  if (token) {
    if (const std::shared_ptr<const bool> known = cache_.find(project_id, *token)) return *known;
  }
  Result<bool> read = database_.read([project_id](storage::Session& session) -> Result<bool> {
    const std::optional<storage::Row> row = TRY(session.queryOne(
        "SELECT project_id FROM inference_traced_projects WHERE project_id = ?", {project_id}));
    return row.has_value();
  });
  if (read && token) cache_.put(project_id, *token, std::make_shared<const bool>(*read));
  return read;
}

Result<void> TraceSettingRepository::set(std::string_view project_id, bool traced) {
  return database_.write([&](storage::Session& session) -> Result<void> {
    TRY(traced ? session.execute(
                     "INSERT INTO inference_traced_projects (project_id, updated_at) VALUES (?, ?) "
                     "ON CONFLICT (project_id) DO NOTHING",
                     {project_id, clock_.now()})
               : session.execute("DELETE FROM inference_traced_projects WHERE project_id = ?",
                                 {project_id}));
    return identity::recordChange(session,
                                  {.action = "completion_tracing.update",
                                   .target_id = project_id,
                                   .project_id = project_id,
                                   .details = {{"enabled", traced ? "true" : "false"}}},
                                  clock_.now());
  });
}

}  // namespace spindle::inference
