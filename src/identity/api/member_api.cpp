#include "http/router/resource.h"
#include "identity/access/access.h"
#include "identity/api/identity_api.h"
#include "identity/api/request_parts.h"
#include "identity/api/user_view.h"
#include "identity/store/team_repository.h"
#include "identity/store/user_repository.h"

namespace spindle::identity {
namespace {

using http::Context, http::Reply;
using schema::string;

/// A member as other members see it. The account itself is the business of organization admins: a
/// team admin can add any user by its name.
struct MemberUserView {
  std::string id;
  std::string username;
  std::optional<std::string> name;
  UserKind kind = UserKind::kUser;
  Timestamp created_at;
  // For organization admins only.
  std::optional<std::string> email;
  std::optional<bool> organization_admin;
  std::optional<bool> suspended;
};

struct MemberView {
  MemberUserView user;
  TeamRole role = TeamRole::kMember;
  bool pending = false;
};

struct MembersQuery : http::PageQuery {
  std::string team;
};
struct MemberPath {
  std::string team;
  std::string username;
};
struct RoleBody {
  TeamRole role = TeamRole::kMember;
};

MemberView viewOf(const Member& member, bool for_organization_admin) {
  const UserView user(member.user);
  MemberView view;
  view.user.id = user.id;
  view.user.username = user.username;
  view.user.name = user.name;
  view.user.kind = user.kind;
  view.user.created_at = user.created_at;
  if (for_organization_admin) {
    view.user.email = user.email;
    view.user.organization_admin = user.organization_admin;
    view.user.suspended = user.suspended;
  }
  view.role = member.membership.role;
  view.pending = member.membership.pending;
  return view;
}

schema::Codec<MemberUserView> memberUserCodec() {
  using schema::boolean, schema::nullable;
  return schema::Record<MemberUserView>("MemberUser")
      .required("id", &MemberUserView::id, string())
      .required("username", &MemberUserView::username, string(), "Unique in the deployment.")
      .required("name", &MemberUserView::name, nullable(string()), "Full name.")
      .required("kind", &MemberUserView::kind, userKindCodec(), "A person or a service account.")
      .required("created_at", &MemberUserView::created_at, schema::dateTime())
      .required("email", &MemberUserView::email, nullable(string()),
                "Null unless the caller is an organization admin.")
      .required("organization_admin", &MemberUserView::organization_admin, nullable(boolean()),
                "Null unless the caller is an organization admin.")
      .required("suspended", &MemberUserView::suspended, nullable(boolean()),
                "Null unless the caller is an organization admin.")
      .codec();
}

schema::Codec<MemberView> memberCodec() {
  return schema::Record<MemberView>("Member")
      .required("user", &MemberView::user, memberUserCodec())
      .required("role", &MemberView::role, teamRoleCodec())
      .required("pending", &MemberView::pending, schema::boolean(),
                "Invited, but not yet accepted.")
      .codec();
}

http::Parameters<MemberPath> memberPath() {
  return inTeam<MemberPath>().path("username", &MemberPath::username, string(),
                                   "Name of the user.");
}

Result<http::PageReply<MemberView>> listMembers(const IdentityServices& services,
                                                const Context& context,
                                                const MembersQuery& query) {
  const TeamAccess access = TRY(
      services.access.requireInTeam(context.caller().user_id, query.team, Action::kListMembers));
  const PageRequest request = TRY(pageRequestOf(query));
  const Page<Member> page = TRY(services.teams.members(access.team_id, request));
  const bool admin = TRY(services.access.isOrganizationAdmin(context.caller().user_id));
  return pageReply<MemberView>(page,
                               [admin](const Member& member) { return viewOf(member, admin); });
}

/// The member that a request changes, after the check of the caller's permission.
struct MemberTarget {
  std::string team_id;
  std::string user_id;
  IfVersion version;
};

Result<MemberTarget> targetOf(const IdentityServices& services,
                              const Context& context,
                              const MemberPath& path) {
  TeamAccess access = TRY(
      services.access.requireInTeam(context.caller().user_id, path.team, Action::kManageMembers));
  const IfVersion version = TRY(http::expectedVersion(context.request.headers));
  User user = TRY(services.users.findByUsername(path.username));
  return MemberTarget{std::move(access.team_id), std::move(user.id), version};
}

Result<Reply<MemberView>> putMember(const IdentityServices& services,
                                    const Context& context,
                                    const MemberPath& path,
                                    const RoleBody& body) {
  const MemberTarget target = TRY(targetOf(services, context, path));
  const bool admin = TRY(services.access.isOrganizationAdmin(context.caller().user_id));
  const TeamRepository::PutMemberResult put =
      TRY(services.teams.putMember(target.team_id, target.user_id, body.role, target.version,
                                   admin ? AddedBy::kOrganization : AddedBy::kTeamAdmin));
  Reply<MemberView> reply =
      http::versionedReply(viewOf(put.member, admin), put.member.membership.version);
  reply.status = put.created ? 201 : 200;
  return reply;
}

Result<void> removeMember(const IdentityServices& services,
                          const Context& context,
                          const MemberPath& path) {
  const MemberTarget target = TRY(targetOf(services, context, path));
  return services.teams.removeMember(target.team_id, target.user_id, target.version);
}

}  // namespace

void addMemberRoutes(const IdentityRoutes& routes) {
  routes.get("/api/v1/teams/{team}/members",
             {"listMembers", "List the members of a team", "Newest first."},
             {.params = inTeam(http::pageParameters<MembersQuery>()),
              .reply = http::pageCodec("MemberPage", memberCodec())},
             listMembers);
  routes.put("/api/v1/teams/{team}/members/{username}",
             {"putMember", "Add a member or change its role",
              "201 when added, 200 when changed. For team admins."},
             {.params = memberPath(),
              .body = schema::Record<RoleBody>("MemberRole", schema::Extra::kForbid)
                          .required("role", &RoleBody::role, teamRoleCodec())
                          .codec(),
              .reply = memberCodec(),
              .facts = {.statuses = {201}, .etag = true, .if_match = true}},
             putMember);
  routes.remove("/api/v1/teams/{team}/members/{username}",
                {"removeMember", "Remove a member from a team", "For team admins."},
                {.params = memberPath(), .facts = {.if_match = true}}, removeMember);
}

}  // namespace spindle::identity
