#include "identity/store/access_facts_repository.h"

#include "identity/store/identity_rows.h"
#include "identity/types/user.h"
#include "storage/database/database.h"

namespace spindle::identity {

Result<AccessFacts> AccessFactsRepository::find(std::string_view user_id,
                                                std::string_view team,
                                                std::string_view project) {
  // A name that cannot be stored does not exist, and the database would reject the query.
  if (!storage::unstorableReason(team).empty()) team = {};
  if (!storage::unstorableReason(project).empty()) project = {};
  return database_.read([&](storage::Session& session) -> Result<AccessFacts> {
    const std::optional<storage::Row> found = TRY(session.queryOne(
        "SELECT u.organization_admin, u.scope, t.id AS team_id, m.role AS team_role, "
        "p.id AS project_id, p.visibility, r.user_id AS added, r.role AS override_role "
        "FROM users u LEFT JOIN teams t ON t.name = ? "
        "LEFT JOIN memberships m ON m.team_id = t.id AND m.user_id = u.id AND m.pending = 0 "
        "LEFT JOIN projects p ON p.team_id = t.id AND p.name = ? "
        "LEFT JOIN project_roles r ON r.project_id = p.id AND r.user_id = u.id "
        "WHERE u.id = ? AND u.suspended = 0",
        {team, project, user_id}));
    if (!found.has_value()) return Error::unauthenticated();
    const storage::Row& row = *found;
    const auto role = [&](std::string_view column) -> std::optional<TeamRole> {
      const std::optional<std::string> text = row.optionalText(column);
      if (!text) return std::nullopt;
      return storedRoleOf(*text);
    };
    AccessFacts facts;
    facts.organization_admin = row.boolean("organization_admin");
    facts.organization_service =
        row.optionalText("scope") == std::string(textOf(ServiceScope::kOrganization));
    facts.team_id = row.optionalText("team_id");
    facts.membership = role("team_role");
    facts.project_id = row.optionalText("project_id");
    if (facts.project_id) {
      // An unknown text gives the fewest permissions.
      facts.visibility = visibilityOf(row.text("visibility")).value_or(Visibility::kRestricted);
    }
    facts.added = !row.isNull("added");
    facts.override_role = role("override_role");
    return facts;
  });
}

std::optional<std::uint64_t> AccessFactsRepository::changeToken() {
  return database_.changeToken();
}

}  // namespace spindle::identity
