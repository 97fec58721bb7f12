#include "http/router/resource.h"
#include "identity/access/access.h"
#include "identity/access/default_team.h"
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

struct MembershipView {
  std::string team;
  TeamRole role = TeamRole::kMember;
  bool pending = false;
};

/// The caller and its memberships.
struct CallerView : UserView {
  using UserView::UserView;
  std::vector<MembershipView> memberships;
  std::optional<std::string> default_team;
};

struct UserQuery : http::PageQuery {
  std::string text;
};

struct UserPath {
  std::string username;
};

struct NewUserBody {
  std::string username;
  std::string email;
  std::optional<std::string> name;
};

schema::Codec<CallerView> callerViewCodec() {
  const auto membership = schema::Record<MembershipView>("MembershipOfUser")
                              .required("team", &MembershipView::team, string())
                              .required("role", &MembershipView::role, teamRoleCodec())
                              .required("pending", &MembershipView::pending, schema::boolean())
                              .codec();
  schema::Record<CallerView> record("Me");
  return describeUser(record)
      .required("memberships", &CallerView::memberships, schema::list(membership), "Oldest first.")
      .required("default_team", &CallerView::default_team, nullable(string()),
                "For requests that name no team: the team of the oldest membership that the caller "
                "accepted or an organization admin made, else the only team.")
      .codec();
}

schema::Codec<std::string> emailCodec() {
  return string({.min_length = 3, .max_length = kMaxEmail, .pattern = "^[^@\\s]+@[^@\\s]+$"});
}
schema::Codec<std::string> fullNameCodec() { return string({.max_length = 128}); }

schema::Codec<UserChange> userChangeCodec() {
  using schema::ifPresent;
  return schema::Record<UserChange>("UserChange", Extra::kForbid)
      .optional("name", &UserChange::name, ifPresent(fullNameCodec()), "Full name.")
      .optional("email", &UserChange::email, ifPresent(nullable(emailCodec())),
                "Unique in the deployment, without regard to case; null: none.")
      .optional("organization_admin", &UserChange::organization_admin, ifPresent(schema::boolean()),
                "Administers the whole deployment.")
      .optional("suspended", &UserChange::suspended, ifPresent(schema::boolean()),
                "Refuse the keys and sessions of the user from the next request on.")
      .codec();
}

schema::Codec<NewUserBody> newUserCodec() {
  return schema::Record<NewUserBody>("NewUser", Extra::kForbid)
      .required("username", &NewUserBody::username, nameCodec(kMaxUsername, kUsernamePattern),
                "Unique in the deployment, without regard to case.")
      .required("email", &NewUserBody::email, emailCodec(),
                "Unique in the deployment, without regard to case.")
      .optional("name", &NewUserBody::name, nullable(fullNameCodec()), "Full name.")
      .codec();
}

Result<CallerView> showCaller(const IdentityServices& services, const Context& context) {
  const std::string& user_id = context.caller().user_id;
  const User user = TRY(services.users.find(user_id));
  const std::vector<TeamOfUser> teams = TRY(services.teams.teamsOf(user_id));
  CallerView me(user);
  for (const TeamOfUser& entry : teams) {
    me.memberships.push_back({entry.team.name, entry.membership.role, entry.membership.pending});
  }
  me.default_team = defaultTeamAmong(teams, user.organization_admin);
  return me;
}

Result<Page<User>> listUsers(const IdentityServices& services,
                             const Context& context,
                             const UserQuery& query) {
  const std::string& caller = context.caller().user_id;
  TRY(services.access.requireInOrganization(caller, Action::kCreateTeam));
  const PageRequest request = TRY(pageRequestOf(query));
  return services.users.list(query.text, request);
}

Result<User> createUser(const IdentityServices& services,
                        const Context& context,
                        const NewUserBody& body) {
  const std::string& caller = context.caller().user_id;
  TRY(services.access.requireInOrganization(caller, Action::kCreateTeam));
  NewUser fresh;
  fresh.username = body.username;
  fresh.email = body.email;
  fresh.name = body.name.value_or("");
  return services.users.insert(fresh);
}

/// Finds the user of a path, which only an organization admin sees.
Result<User> userAt(const IdentityServices& services,
                    const Context& context,
                    const UserPath& path) {
  if (!TRY(services.access.isOrganizationAdmin(context.caller().user_id))) {
    return Error::notFound("User not found");
  }
  return services.users.findByUsername(path.username);
}

Result<User> changeUser(const IdentityServices& services,
                        const Context& context,
                        const UserPath& path,
                        const UserChange& change) {
  const User user = TRY(userAt(services, context, path));
  const bool self = user.id == context.caller().user_id;
  if (self && (change.suspended.value_or(false) || !change.organization_admin.value_or(true))) {
    return Error::conflict("Another organization admin must do this.").because("own_account");
  }
  const IfVersion version = TRY(http::expectedVersion(context.request.headers));
  return services.users.update(user.id, change, version);
}

Result<void> deleteUser(const IdentityServices& services,
                        const Context& context,
                        const UserPath& path) {
  const User user = TRY(userAt(services, context, path));
  if (user.id == context.caller().user_id) {
    return Error::conflict("Another organization admin must do this.").because("own_account");
  }
  const IfVersion version = TRY(http::expectedVersion(context.request.headers));
  return services.users.remove(user.id, version);
}

}  // namespace

void addUserRoutes(const IdentityRoutes& routes) {
  routes.get("/api/v1/me",
             {"getCaller", "Show the caller", "The owner of the API key, and its teams."},
             {.reply = callerViewCodec()}, showCaller);
  const http::Resource users(
      routes, {"/api/v1/users", "/api/v1/users/{username}"},
      http::Parameters<UserPath>().path("username", &UserPath::username, string(), "User name."),
      userViewCodec(), &User::version);
  users.list({"listUsers", "List users",
              "People and service accounts, newest first. For organization admins."},
             "UserPage",
             http::pageParameters<UserQuery>().query(
                 "query", &UserQuery::text, string({.max_length = 254}),
                 "Only users whose user name or e-mail address contains this text."),
             listUsers);
  users.create({"createUser", "Add a person", "For organization admins."}, newUserCodec(),
               createUser);
  users.show({"getUser", "Show a user", "A person or a service account. For organization admins."},
             userAt);
  users.change({"changeUser", "Change or suspend a user",
                "For organization admins. 409 `last_admin` if no organization admin who is not "
                "suspended would remain; `own_account` for one's own suspension or demotion."},
               userChangeCodec(), changeUser);
  users.remove({"deleteUser", "Delete a user",
                "With its keys, sessions, memberships and preferences; what it recorded stays. For "
                "organization admins. 409 `last_admin`, `own_account`."},
               deleteUser);
}

}  // namespace spindle::identity
