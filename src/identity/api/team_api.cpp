#include "http/router/resource.h"
#include "identity/access/access.h"
#include "identity/api/identity_api.h"
#include "identity/api/request_parts.h"
#include "identity/api/user_view.h"
#include "identity/store/team_repository.h"
#include "identity/store/user_repository.h"
#include "identity/types/names.h"

namespace spindle::identity {
namespace {

using http::Context;
using schema::Extra, schema::nullable, schema::string;

struct TeamPath {
  std::string team;
  bool force = false;
};

struct NewTeamBody {
  std::string name;
  std::optional<std::string> admin_username;
};

schema::Codec<TtlPermission> ttlPermissionCodec() {
  return schema::enumeration<TtlPermission>(
      {{"admins", TtlPermission::kAdmins},
       {"admins_and_members", TtlPermission::kAdminsAndMembers}});
}

schema::Codec<Team> teamCodec() {
  return schema::Record<Team>("Team")
      .required("id", &Team::id, string(), "Assigned by the server.")
      .required("name", &Team::name, string(), "The entity name used in every path.")
      .required("default_artifact_ttl_days", &Team::default_artifact_ttl_days,
                nullable(schema::integer()),
                "Time to live of artifact versions in days; null: unlimited.")
      .required("ttl_permission", &Team::ttl_permission, ttlPermissionCodec(),
                "Who may set the time to live of artifact versions.")
      .required("created_at", &Team::created_at, schema::dateTime())
      .required("updated_at", &Team::updated_at, schema::dateTime())
      .codec();
}

schema::Codec<NewTeamBody> newTeamCodec() {
  return schema::Record<NewTeamBody>("NewTeam", Extra::kForbid)
      .required("name", &NewTeamBody::name, nameCodec(kMaxTeamName, kTeamNamePattern),
                "Unique in the deployment; part of every path of the team.")
      .optional("admin_username", &NewTeamBody::admin_username, nullable(string()),
                "User name of the first admin of the team; the caller when left out.")
      .codec();
}

schema::Codec<TeamChange> teamChangeCodec() {
  return schema::Record<TeamChange>("TeamChange", Extra::kForbid)
      .optional("default_artifact_ttl_days", &TeamChange::default_artifact_ttl_days,
                schema::ifPresent(nullable(schema::integer({.gt = 0}))),
                "Time to live of artifact versions in days; null: unlimited.")
      .optional("ttl_permission", &TeamChange::ttl_permission,
                schema::ifPresent(ttlPermissionCodec()),
                "Who may set the time to live of artifact versions.")
      .codec();
}

Result<Team> createTeam(const IdentityServices& services,
                        const Context& context,
                        const NewTeamBody& body) {
  const std::string& caller = context.caller().user_id;
  TRY(services.access.requireInOrganization(caller, Action::kCreateTeam));
  std::string admin_id = caller;
  if (body.admin_username) {
    const User admin = TRY(services.users.findByUsername(*body.admin_username));
    admin_id = admin.id;
  }
  return services.teams.insert(body.name, admin_id);
}

Result<Page<Team>> listTeams(const IdentityServices& services,
                             const Context& context,
                             const http::PageQuery& query) {
  const std::string& caller = context.caller().user_id;
  const bool sees_all = TRY(services.access.isOrganizationAdmin(caller));
  const PageRequest request = TRY(pageRequestOf(query));
  return services.teams.list(sees_all ? std::nullopt : std::optional(caller), request);
}

Result<Team> showTeam(const IdentityServices& services,
                      const Context& context,
                      const TeamPath& path) {
  TRY(services.access.findTeam(context.caller().user_id, path.team));
  return services.teams.findByName(path.team);
}

Result<Team> changeTeam(const IdentityServices& services,
                        const Context& context,
                        const TeamPath& path,
                        const TeamChange& change) {
  TRY(services.access.requireInTeam(context.caller().user_id, path.team, Action::kUpdateTeam));
  const IfVersion version = TRY(http::expectedVersion(context.request.headers));
  return services.teams.update(path.team, change, version);
}

Result<void> deleteTeam(const IdentityServices& services,
                        const Context& context,
                        const TeamPath& path) {
  const std::string& caller = context.caller().user_id;
  const TeamAccess access = TRY(services.access.findTeam(caller, path.team));
  TRY(services.access.requireInOrganization(caller, Action::kCreateTeam));
  const IfVersion version = TRY(http::expectedVersion(context.request.headers));
  if (path.force && services.prepare_team_removal) {
    TRY(services.prepare_team_removal(access.team_id));
  }
  return services.teams.remove(path.team, path.force, version);
}

}  // namespace

void addTeamRoutes(const IdentityRoutes& routes) {
  const http::Resource teams(routes, {"/api/v1/teams", "/api/v1/teams/{team}"}, inTeam<TeamPath>(),
                             teamCodec(), &Team::version);
  teams.create({"createTeam", "Add a team", "For organization admins."}, newTeamCodec(),
               createTeam);
  teams.list({"listTeams", "List teams",
              "The teams of the caller, newest first; organization admins see all teams."},
             "TeamPage", http::pageParameters<http::PageQuery>(), listTeams);
  teams.show({"getTeam", "Show a team"}, showTeam);
  teams.change({"changeTeam", "Change the settings of a team", "For team admins."},
               teamChangeCodec(), changeTeam);
  teams.remove({"deleteTeam", "Remove a team", "For organization admins."},
               inTeam<TeamPath>().query("force", &TeamPath::force, schema::boolean(),
                                        "Delete the projects of the team, too."),
               deleteTeam);
}

}  // namespace spindle::identity
