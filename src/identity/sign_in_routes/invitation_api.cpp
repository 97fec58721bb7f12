#include "identity/sign_in_routes/invitation_api.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "http/browser/session_cookies.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/api/request_parts.h"
#include "identity/api/session_view.h"
#include "identity/api/user_view.h"
#include "identity/sessions/password_hasher.h"
#include "identity/store/invitation_repository.h"
#include "identity/types/names.h"
#include "schema/confidential.h"

namespace spindle::identity {
namespace {

using http::Context, http::Reply;
using schema::Extra, schema::nullable, schema::string;

constexpr std::int64_t kMaxInvitationDays = 90;
constexpr std::int64_t kMaxInvitationUses = 1000;
constexpr std::size_t kInvitationBodyLimit = 16UL * 1024;
constexpr std::size_t kMaxToken = 256;

struct InvitationView : Invitation {
  std::optional<std::string> inviter;
};
struct IssuedInvitationView : InvitationView {
  std::string link;
};
/// An invitation as its recipient sees it.
struct OfferView {
  std::string team;
  TeamRole role = TeamRole::kMember;
  std::optional<std::string> inviter;
  Timestamp expires_at;
};
struct AcceptedView {
  std::string team;
  TeamRole role = TeamRole::kMember;
  std::optional<SessionView> session;
};

struct InvitationTeamPath {
  std::string team;
};
struct InvitationPageQuery : http::PageQuery {
  std::string team;
};
struct InvitationPath {
  std::string team;
  std::string id;
};
struct NewInvitationBody {
  TeamRole role = TeamRole::kMember;
  std::optional<std::string> email;
  std::int64_t expires_in_days = 7;
  std::int64_t uses = 1;
};
struct TokenBody {
  std::string token;
};
struct AcceptBody {
  std::string token;
  std::optional<std::string> username;
  std::optional<std::string> name;
  std::optional<std::string> password;
};

template <class View>
schema::Record<View> invitationRecord(const std::string& name) {
  schema::Record<View> record(name);
  record.required("id", &View::id, string())
      .required("team", &View::team, string())
      .required("role", &View::role, teamRoleCodec())
      .required("email", &View::email, nullable(string()), "A note for whom it is.")
      .required("created_by", &View::inviter, nullable(string()), "User name.")
      .required("uses", &View::uses, schema::integer(), "How many people may accept it.")
      .required("used", &View::used, schema::integer(), "How many people accepted it.")
      .required("created_at", &View::created_at, schema::dateTime())
      .required("expires_at", &View::expires_at, schema::dateTime());
  return record;
}

schema::Codec<IssuedInvitationView> issuedInvitationCodec() {
  return invitationRecord<IssuedInvitationView>("IssuedInvitation")
      .required("link", &IssuedInvitationView::link, string(),
                "For the people to invite. It is never shown again.")
      .codec();
}

schema::Codec<NewInvitationBody> newInvitationCodec() {
  return schema::Record<NewInvitationBody>("NewInvitation", Extra::kForbid)
      .required("role", &NewInvitationBody::role, teamRoleCodec())
      .optional("email", &NewInvitationBody::email,
                nullable(string({.min_length = 3, .max_length = kMaxEmail})),
                "A note for whom it is. The server sends no mail and does not check it.")
      .optional("expires_in_days", &NewInvitationBody::expires_in_days,
                schema::integer({.ge = 1, .le = kMaxInvitationDays}), "Days until it expires.")
      .optional("uses", &NewInvitationBody::uses,
                schema::integer({.ge = 1, .le = kMaxInvitationUses}),
                "How many people may accept it.")
      .codec();
}

schema::Codec<OfferView> offerCodec() {
  return schema::Record<OfferView>("InvitationOffer")
      .required("team", &OfferView::team, string())
      .required("role", &OfferView::role, teamRoleCodec())
      .required("inviter", &OfferView::inviter, nullable(string()), "User name.")
      .required("expires_at", &OfferView::expires_at, schema::dateTime())
      .codec();
}

schema::Codec<std::string> tokenCodec() {
  return string({.min_length = 1, .max_length = kMaxToken});
}

schema::Codec<AcceptBody> acceptCodec() {
  return schema::confidential(
      schema::Record<AcceptBody>("InvitationAcceptance", Extra::kForbid)
          .required("token", &AcceptBody::token, tokenCodec(), "From the link.")
          .optional("username", &AcceptBody::username,
                    nullable(nameCodec(kMaxUsername, kUsernamePattern)),
                    "Of the new user; absent for a user who is signed in.")
          .optional("name", &AcceptBody::name, nullable(string({.max_length = 128})), "Full name.")
          .optional("password", &AcceptBody::password, nullable(newPasswordCodec()),
                    "Of the new user.")
          .codec());
}

schema::Codec<AcceptedView> acceptedCodec() {
  return schema::Record<AcceptedView>("AcceptedInvitation")
      .required("team", &AcceptedView::team, string())
      .required("role", &AcceptedView::role, teamRoleCodec())
      .required("session", &AcceptedView::session, nullable(sessionViewCodec()),
                "The session of a new user; null for a user who was signed in.")
      .codec();
}

std::optional<std::string> inviterOf(const Invitation& invitation) {
  if (invitation.created_by.empty()) return std::nullopt;
  return invitation.created_by;
}

InvitationView viewOf(const Invitation& invitation) {
  InvitationView view;
  static_cast<Invitation&>(view) = invitation;
  view.inviter = inviterOf(invitation);
  return view;
}

Result<TeamAccess> requireManager(const InvitationServices& services,
                                  const Context& context,
                                  std::string_view team) {
  return services.sessions.access.requireInTeam(context.caller().user_id, team,
                                                Action::kManageMembers);
}

Result<Reply<IssuedInvitationView>> createInvitation(const InvitationServices& services,
                                                     const Context& context,
                                                     const InvitationTeamPath& path,
                                                     const NewInvitationBody& body) {
  const TeamAccess access = TRY(requireManager(services, context, path.team));
  NewInvitation fresh;
  fresh.team_id = access.team_id;
  fresh.role = body.role;
  fresh.email = body.email;
  fresh.creator_id = context.caller().user_id;
  fresh.uses = body.uses;
  fresh.expires_at = services.clock.now() + std::chrono::hours(24 * body.expires_in_days);
  const IssuedInvitation issued = TRY(services.invitations.insert(fresh));
  IssuedInvitationView view;
  static_cast<InvitationView&>(view) = viewOf(issued.invitation);
  // The token is in the fragment, which browsers do not send.
  view.link = services.base_url(context.request) +
              "/console/invite#token=" + std::string(issued.token.reveal());
  return Reply<IssuedInvitationView>(std::move(view));
}

Result<http::PageReply<InvitationView>> listInvitations(const InvitationServices& services,
                                                        const Context& context,
                                                        const InvitationPageQuery& query) {
  const TeamAccess access = TRY(requireManager(services, context, query.team));
  const PageRequest request = TRY(pageRequestOf(query));
  const Page<Invitation> page = TRY(services.invitations.list(access.team_id, request));
  return pageReply<InvitationView>(page, viewOf);
}

Result<void> revokeInvitation(const InvitationServices& services,
                              const Context& context,
                              const InvitationPath& path) {
  const TeamAccess access = TRY(requireManager(services, context, path.team));
  return services.invitations.remove(access.team_id, path.id);
}

Result<OfferView> showInvitation(const InvitationServices& services, const TokenBody& body) {
  const Invitation invitation = TRY(services.invitations.find(Secret(body.token)));
  return OfferView{invitation.team, invitation.role, inviterOf(invitation), invitation.expires_at};
}

/// Adds the membership of a user who is signed in.
Result<Reply<AcceptedView>> joinTeam(const InvitationServices& services,
                                     const Context& context,
                                     const AcceptBody& body) {
  if (body.username || body.password || body.name) {
    return Error::invalidArgument("You are signed in: send the token only, or sign out first.");
  }
  const Invitation invitation =
      TRY(services.invitations.accept(Secret(body.token), context.caller().user_id));
  return Reply<AcceptedView>(AcceptedView{invitation.team, invitation.role, std::nullopt});
}

/// Creates a user and opens its session.
Result<Reply<AcceptedView>> joinAsNewUser(const InvitationServices& services,
                                          const Context& context,
                                          const AcceptBody& body) {
  if (const std::optional<Error> problem =
          services.sessions.cookies.site().problemOf(context.request)) {
    return *problem;
  }
  if (!body.username || !body.password) {
    return Error::invalidArgument("A new user needs a username and a password.");
  }
  const Secret token(body.token);
  const Invitation invitation = TRY(services.invitations.find(token));
  const std::string hash = TRY(services.passwords.hash(Secret(*body.password)));
  NewUser fresh;
  fresh.username = *body.username;
  fresh.name = body.name.value_or("");
  const User user = TRY(services.invitations.acceptAsNewUser(token, fresh, hash));
  const SignInClient client = signInClientOf(services.sessions.cookies.site(), context.request);
  const OpenedSession opened = TRY(services.sessions.sign_in.open(user.id, client));
  Reply<SessionView> session = replyWithSession(services.sessions, context.request, opened);
  Reply<AcceptedView> reply(AcceptedView{invitation.team, invitation.role, session.value});
  reply.headers = std::move(session.headers);
  return reply;
}

Result<Reply<AcceptedView>> acceptInvitation(const InvitationServices& services,
                                             const Context& context,
                                             const AcceptBody& body) {
  if (context.request.principal) return joinTeam(services, context, body);
  return joinAsNewUser(services, context, body);
}

void addTokenRoutes(const InvitationRoutes& routes) {
  http::RoutePolicy open = routes.policy();
  open.credentials = http::Credentials::kOpen;
  open.own_pages_only = true;
  open.idempotent_posts = false;  // responses contain a session
  open.body_limit = kInvitationBodyLimit;
  routes.with(open).post(
      "/api/v1/invitations/show",
      {"showInvitation", "Show an invitation",
       "For pages of this server, without a credential. 404 for a token that is unknown, expired, "
       "used or revoked."},
      {.body = schema::confidential(
           schema::Record<TokenBody>("InvitationToken", Extra::kForbid)
               .required("token", &TokenBody::token, tokenCodec(), "From the link.")
               .codec()),
       .reply = offerCodec(),
       .facts = {.statuses = {403, 404}}},
      showInvitation);
  open.credentials = http::Credentials::kOptional;
  open.own_pages_only = false;  // an API key is a credential too; see joinAsNewUser()
  routes.with(open).post(
      "/api/v1/invitations/accept",
      {"acceptInvitation", "Accept an invitation",
       "With a session: adds the caller to the team. Without: creates a user with `username` and "
       "`password`, and signs it in; only for pages of this server."},
      {.body = acceptCodec(),
       .reply = acceptedCodec(),
       .status = 201,
       .facts = {.statuses = {403, 404, 409}}},
      acceptInvitation);
}

}  // namespace

void addInvitationRoutes(InvitationRoutes routes) {
  routes.setTag("identity");
  routes.post("/api/v1/teams/{team}/invitations",
              {"createInvitation", "Invite people to a team by link",
               "The response contains the link, once. For team admins."},
              {.params = inTeam<InvitationTeamPath>(),
               .body = newInvitationCodec(),
               .reply = issuedInvitationCodec(),
               .status = 201},
              createInvitation);
  routes.get(
      "/api/v1/teams/{team}/invitations",
      {"listInvitations", "List the open invitations of a team", "Newest first. For team admins."},
      {.params = inTeam(http::pageParameters<InvitationPageQuery>()),
       .reply = http::pageCodec("InvitationPage",
                                invitationRecord<InvitationView>("Invitation").codec())},
      listInvitations);
  routes.remove(
      "/api/v1/teams/{team}/invitations/{id}",
      {"revokeInvitation", "Revoke an invitation", "For team admins."},
      {.params = inTeam<InvitationPath>().path("id", &InvitationPath::id, string(), "Its id.")},
      revokeInvitation);
  addTokenRoutes(routes);
}

}  // namespace spindle::identity
