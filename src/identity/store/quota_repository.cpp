#include "identity/store/quota_repository.h"

#include <optional>
#include <string>

#include "storage/database/database.h"

namespace spindle::identity {
namespace {

using storage::Row;
using storage::Session;

constexpr std::string_view kProjectsPerTeam = "projects_per_team";

}  // namespace

Result<void> QuotaRepository::setProjectsPerTeam(std::int64_t limit) {
  return database_.write([&](Session& session) -> Result<void> {
    TRY(
        session.execute("INSERT INTO quotas (name, amount) VALUES (?, ?) "
                        "ON CONFLICT (name) DO UPDATE SET amount = excluded.amount",
                        {kProjectsPerTeam, limit}));
    return {};
  });
}

Result<void> checkProjectQuota(Session& session, std::string_view team_id) {
  const std::optional<Row> quota =
      TRY(session.queryOne("SELECT amount FROM quotas WHERE name = ?", {kProjectsPerTeam}));
  const std::int64_t limit = quota.has_value() ? quota->integer("amount") : 0;
  if (limit <= 0) return {};
  const std::optional<Row> row =
      TRY(session.queryOne("SELECT count(*) AS number FROM projects WHERE team_id = ?", {team_id}));
  if (row->integer("number") < limit) return {};
  return Error::denied("The team may have no more projects: limits.projects_per_team is " +
                       std::to_string(limit) +
                       ". Delete a project, or ask the operator to raise the limit.")
      .because("project_limit");
}

}  // namespace spindle::identity
