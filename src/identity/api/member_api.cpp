#include "http/router/etag.h"
#include "http/router/router.h"
#include "identity/access/access.h"
#include "identity/api/identity_api.h"
#include "identity/api/user_view.h"
#include "identity/store/team_repository.h"
#include "identity/store/user_repository.h"

namespace spindle::identity {
namespace {

using http::Context;
using http::Endpoint;
using http::Method;
using http::Nothing;
using http::Reply;
using schema::string;

struct MemberView {
  UserView user;
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

MemberView viewOf(const Member& member) {
  MemberView view;
  view.user = UserView(member.user);
  view.role = member.membership.role;
  view.pending = member.membership.pending;
  return view;
}

schema::Codec<MemberView> memberCodec() {
  return schema::Record<MemberView>("Member")
      .required("user", &MemberView::user, userViewCodec(), "")
      .required("role", &MemberView::role, teamRoleCodec(), "")
      .required("pending", &MemberView::pending, schema::boolean(),
                "Invited, but not yet accepted.")
      .codec();
}

http::Parameters<MemberPath> memberPath() {
  http::Parameters<MemberPath> parameters;
  parameters.path("team", &MemberPath::team, string(), "Name of the team.")
      .path("username", &MemberPath::username, string(), "Name of the user.");
  return parameters;
}

Result<Reply<http::PageReply<MemberView>>> listMembers(const IdentityServices& services,
                                                       const Context& context,
                                                       const MembersQuery& query) {
  const TeamAccess access = TRY(
      services.access.requireInTeam(context.caller().user_id, query.team, Action::kListMembers));
  const PageRequest request = TRY(pageRequestOf(query));
  const Page<Member> page = TRY(services.teams.members(access.team_id, request));
  return Reply(pageReply<MemberView>(page, viewOf));
}

/// The member that a request changes, after the check of the caller's permission.
struct MemberTarget {
  std::string team_id;
  std::string user_id;
  std::optional<std::int64_t> version;
};

Result<MemberTarget> targetOf(const IdentityServices& services,
                              const Context& context,
                              const MemberPath& path) {
  TeamAccess access = TRY(
      services.access.requireInTeam(context.caller().user_id, path.team, Action::kManageMembers));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  User user = TRY(services.users.findByUsername(path.username));
  return MemberTarget{std::move(access.team_id), std::move(user.id), version};
}

Result<Reply<MemberView>> putMember(const IdentityServices& services,
                                    const Context& context,
                                    const MemberPath& path,
                                    const RoleBody& body) {
  const MemberTarget target = TRY(targetOf(services, context, path));
  const TeamRepository::PutMemberResult put =
      TRY(services.teams.putMember(target.team_id, target.user_id, body.role, target.version));
  Reply<MemberView> reply(viewOf(put.member));
  reply.status = put.created ? 201 : 200;
  reply.with("ETag", http::etagOf(put.member.membership.version));
  return reply;
}

Result<Reply<Nothing>> removeMember(const IdentityServices& services,
                                    const Context& context,
                                    const MemberPath& path) {
  const MemberTarget target = TRY(targetOf(services, context, path));
  TRY(services.teams.removeMember(target.team_id, target.user_id, target.version));
  return Reply(Nothing{});
}

}  // namespace

void addMemberRoutes(http::Router& router,
                     const IdentityServices& services,
                     const http::RoutePolicy& policy) {
  router.add(Endpoint<MembersQuery, Nothing, http::PageReply<MemberView>>{
      .method = Method::kGet,
      .path = "/api/v1/teams/{team}/members",
      .operation_id = "listMembers",
      .summary = "List the members of a team",
      .description = "Newest first.",
      .tag = "identity",
      .policy = policy,
      .params = http::pageParameters<MembersQuery>().path("team", &MembersQuery::team, string(),
                                                          "Name of the team."),
      .reply = http::pageCodec("MemberPage", memberCodec()),
      .handler = [services](const Context& context, const MembersQuery& query,
                            Nothing) { return listMembers(services, context, query); },
  });
  router.add(Endpoint<MemberPath, RoleBody, MemberView>{
      .method = Method::kPut,
      .path = "/api/v1/teams/{team}/members/{username}",
      .operation_id = "putMember",
      .summary = "Add a member or change its role",
      .description = "201 when added, 200 when changed. For team admins.",
      .tag = "identity",
      .facts = {.statuses = {201}, .etag = true, .if_match = true},
      .policy = policy,
      .params = memberPath(),
      .body = schema::Record<RoleBody>("MemberRole", schema::Extra::kForbid)
                  .required("role", &RoleBody::role, teamRoleCodec(), "")
                  .codec(),
      .reply = memberCodec(),
      .handler = [services](const Context& context, const MemberPath& path,
                            RoleBody body) { return putMember(services, context, path, body); },
  });
  router.add(Endpoint<MemberPath, Nothing, Nothing>{
      .method = Method::kDelete,
      .path = "/api/v1/teams/{team}/members/{username}",
      .operation_id = "removeMember",
      .summary = "Remove a member from a team",
      .description = "For team admins.",
      .tag = "identity",
      .success_status = 204,
      .facts = {.if_match = true},
      .policy = policy,
      .params = memberPath(),
      .handler = [services](const Context& context, const MemberPath& path,
                            Nothing) { return removeMember(services, context, path); },
  });
}

}  // namespace spindle::identity
