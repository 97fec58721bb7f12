#include "http/router/etag.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/api/identity_api.h"
#include "identity/api/user_view.h"
#include "identity/store/team_repository.h"
#include "identity/store/user_repository.h"
#include "identity/types/names.h"

namespace spindle::identity {
namespace {

using http::Context, http::Reply;
using schema::Extra, schema::nullable, schema::string;

struct TeamView {
  TeamView() = default;
  explicit TeamView(const Team& team)
      : id(team.id),
        name(team.name),
        default_artifact_ttl_days(team.default_artifact_ttl_days),
        ttl_permission(team.ttl_permission),
        created_at(team.created_at),
        updated_at(team.updated_at) {}

  std::string id;
  std::string name;
  std::optional<std::int64_t> default_artifact_ttl_days;
  TtlPermission ttl_permission = TtlPermission::kAdmins;
  Timestamp created_at;
  Timestamp updated_at;
};

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

schema::Codec<TeamView> teamViewCodec() {
  return schema::Record<TeamView>("Team")
      .required("id", &TeamView::id, string(), "Assigned by the server.")
      .required("name", &TeamView::name, string(), "The entity name used in every path.")
      .required("default_artifact_ttl_days", &TeamView::default_artifact_ttl_days,
                nullable(schema::integer()),
                "Time to live of artifact versions in days; null: unlimited.")
      .required("ttl_permission", &TeamView::ttl_permission, ttlPermissionCodec(),
                "Who may set the time to live of artifact versions.")
      .required("created_at", &TeamView::created_at, schema::dateTime(), "")
      .required("updated_at", &TeamView::updated_at, schema::dateTime(), "")
      .codec();
}

schema::Codec<NewTeamBody> newTeamCodec() {
  return schema::Record<NewTeamBody>("NewTeam", Extra::kForbid)
      .required("name", &NewTeamBody::name,
                string({.min_length = 1, .max_length = kMaxTeamName, .pattern = kTeamNamePattern}),
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

http::Parameters<TeamPath> teamPath() {
  http::Parameters<TeamPath> parameters;
  parameters.path("team", &TeamPath::team, string(), "Name of the team.");
  return parameters;
}

Reply<TeamView> replyOf(const Team& team) {
  return Reply(TeamView(team)).with("ETag", http::etagOf(team.version));
}

Result<Reply<TeamView>> createTeam(const IdentityServices& services,
                                   const Context& context,
                                   const NewTeamBody& body) {
  const std::string& caller = context.caller().user_id;
  TRY(services.access.requireInOrganization(caller, Action::kCreateTeam));
  std::string admin_id = caller;
  if (body.admin_username) {
    const User admin = TRY(services.users.findByUsername(*body.admin_username));
    admin_id = admin.id;
  }
  const Team team = TRY(services.teams.insert(body.name, admin_id));
  return replyOf(team);
}

Result<http::PageReply<TeamView>> listTeams(const IdentityServices& services,
                                            const Context& context,
                                            const http::PageQuery& query) {
  const std::string& caller = context.caller().user_id;
  const bool sees_all = TRY(services.access.isOrganizationAdmin(caller));
  const PageRequest request = TRY(pageRequestOf(query));
  const std::optional<std::string> user_filter = sees_all ? std::nullopt : std::optional(caller);
  const Page<Team> page = TRY(services.teams.list(user_filter, request));
  return pageReply<TeamView>(page, [](const Team& team) { return TeamView(team); });
}

Result<Reply<TeamView>> showTeam(const IdentityServices& services,
                                 const Context& context,
                                 const TeamPath& path) {
  TRY(services.access.findTeam(context.caller().user_id, path.team));
  const Team team = TRY(services.teams.findByName(path.team));
  return replyOf(team);
}

Result<Reply<TeamView>> changeTeam(const IdentityServices& services,
                                   const Context& context,
                                   const TeamPath& path,
                                   const TeamChange& change) {
  TRY(services.access.requireInTeam(context.caller().user_id, path.team, Action::kUpdateTeam));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  const Team team = TRY(services.teams.update(path.team, change, version));
  return replyOf(team);
}

Result<void> deleteTeam(const IdentityServices& services,
                        const Context& context,
                        const TeamPath& path) {
  const std::string& caller = context.caller().user_id;
  const TeamAccess access = TRY(services.access.findTeam(caller, path.team));
  TRY(services.access.requireInOrganization(caller, Action::kCreateTeam));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  if (path.force && services.prepare_team_removal) {
    TRY(services.prepare_team_removal(access.team_id));
  }
  TRY(services.teams.remove(path.team, path.force, version));
  return {};
}

}  // namespace

void addTeamRoutes(IdentityRoutes routes) {
  routes.post(
      "/api/v1/teams", {"createTeam", "Add a team", "For organization admins."},
      {.body = newTeamCodec(), .reply = teamViewCodec(), .status = 201, .facts = {.etag = true}},
      createTeam);
  routes.get("/api/v1/teams",
             {"listTeams", "List teams",
              "The teams of the caller, newest first; organization admins see all teams."},
             {.params = http::pageParameters<http::PageQuery>(),
              .reply = http::pageCodec("TeamPage", teamViewCodec())},
             listTeams);
  routes.get("/api/v1/teams/{team}", {"getTeam", "Show a team"},
             {.params = teamPath(), .reply = teamViewCodec(), .facts = {.etag = true}}, showTeam);
  routes.patch("/api/v1/teams/{team}",
               {"changeTeam", "Change the settings of a team", "For team admins."},
               {.params = teamPath(),
                .body = teamChangeCodec(),
                .reply = teamViewCodec(),
                .facts = {.etag = true, .if_match = true}},
               changeTeam);
  routes.remove("/api/v1/teams/{team}", {"deleteTeam", "Remove a team", "For organization admins."},
                {.params = teamPath().query("force", &TeamPath::force, schema::boolean(),
                                            "Delete the projects of the team, too."),
                 .facts = {.if_match = true}},
                deleteTeam);
}

}  // namespace spindle::identity
