#include "identity/oidc/external_identity_repository.h"

#include <algorithm>

#include "base/core/ascii.h"
#include "base/core/utf8.h"
#include "base/crypto/crypto.h"
#include "base/crypto/id.h"
#include "identity/audit/audit_trail.h"
#include "identity/store/identity_rows.h"
#include "identity/store/team_repository.h"
#include "identity/types/names.h"
#include "storage/database/database.h"

namespace spindle::identity {
namespace {

using storage::Row, storage::Session;

constexpr std::size_t kMaxFullName = 128;
constexpr int kUsernameTries = 100;

/// Marks a sign-in as used, and forgets those that have expired.
Result<void> useOnce(Session& session,
                     std::string_view sign_in_id,
                     Timestamp expires_at,
                     Timestamp now) {
  TRY(session.execute("DELETE FROM used_sign_ins WHERE expires_at < ?", {now}));
  const std::int64_t fresh =
      TRY(session.execute("INSERT INTO used_sign_ins (digest, expires_at) VALUES (?, ?) "
                          "ON CONFLICT (digest) DO NOTHING",
                          {toHex(sha256(sign_in_id)), expires_at}));
  if (fresh > 0) return {};
  return Error(ErrorCode::kUnauthenticated, "This sign-in was used already.").because("replayed");
}

/// Returns the text as a valid user name: other characters become hyphens.
std::string usernameFrom(std::string_view hint) {
  std::string name(hint.substr(0, hint.find('@')));
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return !isLetterOrDigit(c) && c != '.' && c != '_' && c != '-'; }, '-');
  name.erase(0, std::min(name.find_first_not_of("._-"), name.size()));
  constexpr std::size_t kRoomForNumber = 4;
  name.resize(std::min(name.size(), kMaxUsername - kRoomForNumber));
  return isUsername(name) ? name : "user";
}

/// Returns the name, or the name with the first number that makes it free.
Result<std::string> freeUsername(Session& session, const std::string& wanted) {
  for (int number = 1; number <= kUsernameTries; ++number) {
    std::string name = number == 1 ? wanted : wanted + "-" + std::to_string(number);
    const std::optional<Row> taken =
        TRY(session.queryOne("SELECT id FROM users WHERE username_key = ?", {foldCase(name)}));
    if (!taken.has_value()) return name;
  }
  return Error::conflict("No user name is free.").because("username_taken");
}

/// Returns a display name without control characters, with at most kMaxFullName characters.
std::string fullNameFrom(std::string_view text) {
  std::string name;
  std::size_t characters = 0;
  for (const char c : text) {
    if (beginsCharacter(c) && ++characters > kMaxFullName) break;
    name += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  }
  return name;
}

Result<User> createUser(Session& session,
                        const ExternalIdentity& identity,
                        const ExternalUserRules& rules,
                        Timestamp now) {
  User user;
  user.created_at = user.updated_at = now;
  user.id = newPrefixedId("usr_", now);
  user.username = TRY(freeUsername(session, usernameFrom(identity.username_hint)));
  user.email = identity.email;
  user.name = fullNameFrom(identity.name);
  TRY(insertRow(session, user));
  TRY(recordChange(session,
                   {.action = "user.create",
                    .target_id = user.id,
                    .target_name = user.username,
                    .details = {{"issuer", identity.issuer}, {"subject", identity.subject}}},
                   now));
  if (rules.team.empty()) return user;
  const std::optional<Row> team =
      TRY(session.queryOne("SELECT id FROM teams WHERE name = ?", {rules.team}));
  if (!team.has_value()) return user;
  TRY(insertMembership(session, team->text("id"), user.id, rules.role, now));
  TRY(recordChange(session,
                   {.action = "team_member.add",
                    .target_id = user.id,
                    .target_name = user.username,
                    .team_id = team->text("id"),
                    .details = {{"role", std::string(textOf(rules.role))}}},
                   now));
  return user;
}

Error noSuchUser() {
  return Error(ErrorCode::kPermissionDenied, "There is no such user.").because("no_user");
}

/// Checks that the user may be connected because of its e-mail address alone. Providers give an
/// address to another person in time, so the first identity of an issuer keeps the user; and an
/// address is not enough to administer the organization.
Result<void> checkConnectable(Session& session, const User& user, std::string_view issuer) {
  if (user.organization_admin) return noSuchUser();
  const std::optional<Row> connected =
      TRY(session.queryOne("SELECT user_id FROM external_identities WHERE user_id = ? "
                           "AND issuer = ? LIMIT 1",
                           {user.id, issuer}));
  if (connected.has_value()) return noSuchUser();
  return {};
}

/// Connects an unknown identity to an existing person or a new one.
Result<User> connect(Session& session,
                     const ExternalIdentity& identity,
                     const ExternalUserRules& rules,
                     Timestamp now) {
  std::optional<User> user;
  if (identity.email) {
    Result<User> found = selectUsers().one(session, "WHERE u.email_key = ? AND u.kind = 'user'",
                                           {foldCase(*identity.email)});
    if (!found && found.error().code() != ErrorCode::kNotFound) return found;
    if (found) {
      TRY(checkConnectable(session, *found, identity.issuer));
      user = *std::move(found);
    }
  }
  if (!user) {
    if (!rules.create_users) return noSuchUser();
    user = TRY(createUser(session, identity, rules, now));
  }
  TRY(session.execute(
      "INSERT INTO external_identities (issuer, subject, user_id, created_at) VALUES (?, ?, ?, ?)",
      {identity.issuer, identity.subject, user->id, now}));
  TRY(recordChange(session,
                   {.action = "user.connect",
                    .target_id = user->id,
                    .target_name = user->username,
                    .details = {{"issuer", identity.issuer}, {"subject", identity.subject}}},
                   now));
  return *std::move(user);
}

}  // namespace

Result<User> ExternalIdentityRepository::signIn(const ExternalIdentity& identity,
                                                const ExternalUserRules& rules,
                                                std::string_view sign_in_id,
                                                Timestamp sign_in_expires_at) {
  return database_.write([&](Session& session) -> Result<User> {
    const Timestamp now = clock_.now();
    TRY(useOnce(session, sign_in_id, sign_in_expires_at, now));
    Result<User> user = selectUsers().one(
        session,
        "JOIN external_identities e ON e.user_id = u.id WHERE e.issuer = ? AND e.subject = ?",
        {identity.issuer, identity.subject});
    if (!user && user.error().code() == ErrorCode::kNotFound) {
      user = connect(session, identity, rules, now);
    }
    if (user && user->suspended) {
      return Error(ErrorCode::kPermissionDenied, "The user is suspended.").because("suspended");
    }
    return user;
  });
}

}  // namespace spindle::identity
