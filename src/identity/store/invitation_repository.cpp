#include "identity/store/invitation_repository.h"

#include <array>
#include <optional>
#include <utility>

#include "base/crypto/id.h"
#include "identity/audit/audit_trail.h"
#include "identity/store/identity_rows.h"
#include "identity/store/row_query.h"
#include "identity/store/team_repository.h"
#include "identity/store/user_insertion.h"
#include "storage/database/columns.h"
#include "storage/database/database.h"

namespace spindle::identity {
namespace {

using storage::Columns, storage::Row, storage::Session;

constexpr std::int64_t kMaxOpenInvitations = 1000;

const Columns<Invitation>& invitationColumns() {
  static const Columns<Invitation> columns{{"id", &Invitation::id},
                                           {"team_id", &Invitation::team_id},
                                           {"role", &Invitation::role, storedRoleOf, textOf},
                                           {"email", &Invitation::email},
                                           {"uses", &Invitation::uses},
                                           {"used", &Invitation::used},
                                           {"created_at", &Invitation::created_at},
                                           {"expires_at", &Invitation::expires_at}};
  return columns;
}

const RowQuery<Invitation>& selectInvitations() {
  static const RowQuery<Invitation> invitations(
      "SELECT " + invitationColumns().list("i") +
          ", t.name AS team, u.username AS created_by FROM invitations i "
          "JOIN teams t ON t.id = i.team_id LEFT JOIN users u ON u.id = i.creator_id",
      [](const Row& row) {
        Invitation invitation = invitationColumns().read(row);
        invitation.team = row.text("team");
        invitation.created_by = row.optionalText("created_by").value_or("");
        return invitation;
      },
      "Invitation not found");
  return invitations;
}

/// Selects invitations `i` that can be accepted now (the parameter): an invitation is worth no more
/// than the rights that its creator still has, as those for Action::kManageMembers.
constexpr SqlView kIsOpen =
    "i.used < i.uses AND i.expires_at > ? AND EXISTS (SELECT 1 FROM users c "
    "LEFT JOIN memberships m ON m.user_id = c.id AND m.team_id = i.team_id AND m.pending = 0 "
    "WHERE c.id = i.creator_id AND c.suspended = 0 "
    "AND (c.organization_admin = 1 OR m.role = 'ADMIN')) ";

Result<Invitation> findOpen(Session& session, std::string_view digest, Timestamp now) {
  return selectInvitations().one(session, "WHERE i.digest = ? AND " + kIsOpen, {digest, now});
}

/// `actor` is needed for a request without a credential.
Result<void> recordInvitation(Session& session,
                              std::string_view action,
                              const Invitation& invitation,
                              Timestamp now,
                              const User& actor = {}) {
  return recordChange(session,
                      {.action = action,
                       .target_id = invitation.id,
                       .target_name = invitation.email.value_or(""),
                       .team_id = invitation.team_id,
                       .actor_id = actor.id,
                       .actor = actor.username,
                       .details = {{"role", std::string(textOf(invitation.role))}}},
                      now);
}

/// Counts a use and adds the membership.
Result<void> join(Session& session, const Invitation& invitation, const User& user, Timestamp now) {
  TRY(session.execute("UPDATE invitations SET used = used + 1 WHERE id = ?", {invitation.id}));
  TRY(insertMembership(session, invitation.team_id, user.id, invitation.role, now));
  TRY(recordInvitation(session, "invitation.accept", invitation, now, user));
  return recordChange(session,
                      {.action = "team_member.add",
                       .target_id = user.id,
                       .target_name = user.username,
                       .team_id = invitation.team_id,
                       .actor_id = user.id,
                       .actor = user.username,
                       .details = {{"role", std::string(textOf(invitation.role))}}},
                      now);
}

}  // namespace

std::string InvitationRepository::digestOf(const Secret& token) const {
  return toHex(hmacSha256({reinterpret_cast<const char*>(server_key_.data()), server_key_.size()},
                          token.reveal()));
}

Result<IssuedInvitation> InvitationRepository::insert(const NewInvitation& fresh) {
  const Timestamp now = clock_.now();
  if (fresh.expires_at <= now) {
    return Error::invalidArgument("The expiry of an invitation must be in the future.");
  }
  std::array<char, 32> bytes{};
  randomBytes(bytes.data(), bytes.size());
  const Secret token(encodeBase64Url({bytes.data(), bytes.size()}));
  Invitation invitation;
  invitation.id = newPrefixedId("inv_", now);
  invitation.team_id = fresh.team_id;
  invitation.role = fresh.role;
  invitation.email = fresh.email;
  invitation.uses = fresh.uses;
  invitation.created_at = now;
  invitation.expires_at = fresh.expires_at;
  return database_.write([&](Session& session) -> Result<IssuedInvitation> {
    TRY(session.execute(
        "DELETE FROM invitations AS i WHERE i.team_id = ? AND NOT (" + kIsOpen + ")",
        {fresh.team_id, now}));
    const std::optional<Row> open = TRY(
        session.queryOne("SELECT count(*) FROM invitations WHERE team_id = ?", {fresh.team_id}));
    if (open->integer(0) >= kMaxOpenInvitations) {
      return Error::conflict("The team has too many open invitations.")
          .because("too_many_invitations");
    }
    TRY(session.execute(
        invitationColumns().insertInto("invitations", {"creator_id", "digest"}),
        invitationColumns().valuesOf(invitation, {fresh.creator_id, digestOf(token)})));
    TRY(recordInvitation(session, "invitation.create", invitation, now));
    Invitation stored = TRY(selectInvitations().one(session, "WHERE i.id = ?", {invitation.id}));
    return IssuedInvitation{std::move(stored), token};
  });
}

Result<Page<Invitation>> InvitationRepository::list(std::string_view team_id,
                                                    const PageRequest& page) {
  return selectInvitations().page(
      database_, "WHERE i.team_id = ? AND " + kIsOpen + "AND i.id < ? ORDER BY i.id DESC LIMIT ?",
      {team_id, clock_.now()}, page);
}

Result<void> InvitationRepository::remove(std::string_view team_id, std::string_view id) {
  return database_.write([&](Session& session) -> Result<void> {
    const Invitation invitation =
        TRY(selectInvitations().one(session, "WHERE i.team_id = ? AND i.id = ?", {team_id, id}));
    TRY(session.execute("DELETE FROM invitations WHERE id = ?", {id}));
    return recordInvitation(session, "invitation.revoke", invitation, clock_.now());
  });
}

Result<Invitation> InvitationRepository::find(const Secret& token) {
  return database_.read(
      [&](Session& session) { return findOpen(session, digestOf(token), clock_.now()); });
}

Result<Invitation> InvitationRepository::accept(const Secret& token, std::string_view user_id) {
  return database_.write([&](Session& session) -> Result<Invitation> {
    const Timestamp now = clock_.now();
    const Invitation invitation = TRY(findOpen(session, digestOf(token), now));
    const User user = TRY(findUser(session, user_id));
    if (user.kind == UserKind::kService) {
      return Error::conflict("A service account cannot accept an invitation.")
          .because("service_account");
    }
    const std::optional<Row> member =
        TRY(session.queryOne("SELECT id FROM memberships WHERE team_id = ? AND user_id = ?",
                             {invitation.team_id, user_id}));
    if (member.has_value()) {
      return Error::conflict("You are a member of this team already.").because("already_member");
    }
    TRY(join(session, invitation, user, now));
    return invitation;
  });
}

Result<User> InvitationRepository::acceptAsNewUser(const Secret& token,
                                                   const NewUser& fresh,
                                                   std::string_view password_hash) {
  return database_.write([&](Session& session) -> Result<User> {
    const Timestamp now = clock_.now();
    const Invitation invitation = TRY(findOpen(session, digestOf(token), now));
    const User user = TRY(insertUser(session, fresh, now));
    TRY(session.execute(
        "INSERT INTO user_credentials (user_id, password, password_changed_at) VALUES (?, ?, ?)",
        {user.id, password_hash, now}));
    TRY(join(session, invitation, user, now));
    return user;
  });
}

}  // namespace spindle::identity
