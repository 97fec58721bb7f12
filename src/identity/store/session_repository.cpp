#include "identity/store/session_repository.h"

#include "base/crypto/id.h"
#include "identity/audit/audit_trail.h"
#include "identity/store/identity_rows.h"
#include "identity/types/api_key.h"
#include "storage/database/database.h"

namespace spindle::identity {
namespace {

using storage::Row, storage::Session;

UserSession sessionOf(NewSession fresh, Timestamp now) {
  UserSession made;
  made.id = newPrefixedId("ses_", now);
  made.user_id = std::move(fresh.user_id);
  made.api_key_id = std::move(fresh.api_key_id);
  made.client = std::move(fresh.client);
  made.address = std::move(fresh.address);
  made.created_at = made.last_used_at = now;
  made.expires_at = fresh.expires_at;
  return made;
}

Result<void> recordSessionChange(Session& session,
                                 std::string_view action,
                                 std::string_view id,
                                 const User& user,
                                 Timestamp now) {
  return recordChange(session,
                      {.action = action,
                       .target_id = id,
                       .target_name = user.username,
                       .actor_id = user.id,
                       .actor = user.username},
                      now);
}

/// Removes the expired sessions of the user, and the least recently used ones beyond the maximum.
Result<void> makeRoom(Session& session, std::string_view user_id, Timestamp now) {
  TRY(session.execute("DELETE FROM user_sessions WHERE user_id = ? AND expires_at <= ?",
                      {user_id, now}));
  TRY(session.execute(
      "DELETE FROM user_sessions WHERE user_id = ? AND id NOT IN (SELECT id FROM user_sessions "
      "WHERE user_id = ? ORDER BY last_used_at DESC, id DESC LIMIT ?)",
      {user_id, user_id, SessionRepository::kMaxPerUser - 1}));
  return {};
}

Result<void> store(Session& session, const UserSession& made, std::string_view digest) {
  const User user = TRY(findUser(session, made.user_id));
  if (user.suspended) return Error::unauthenticated();
  TRY(makeRoom(session, made.user_id, made.created_at));
  TRY(insertRow(session, made, digest));
  TRY(session.execute(
      "INSERT INTO user_credentials (user_id, last_sign_in_at) VALUES (?, ?) "
      "ON CONFLICT (user_id) DO UPDATE SET last_sign_in_at = excluded.last_sign_in_at",
      {made.user_id, made.created_at}));
  return recordSessionChange(session, "session.create", made.id, user, made.created_at);
}

Result<void> removeSession(Session& session, const UserSession& removed, Timestamp now) {
  const User user = TRY(findUser(session, removed.user_id));
  TRY(session.execute("DELETE FROM user_sessions WHERE id = ?", {removed.id}));
  return recordSessionChange(session, "session.revoke", removed.id, user, now);
}

constexpr SqlView kSelectOwners =
    "SELECT s.id, s.digest, s.expires_at, s.last_used_at, k.key_id, "
    "k.expires_at AS key_expires_at, u.id AS user_id, u.username, "
    "coalesce(u.team_id, (SELECT CASE WHEN count(*) = 1 THEN max(m.team_id) END "
    "FROM memberships m WHERE m.user_id = u.id AND m.pending = 0)) AS only_team "
    "FROM user_sessions s JOIN users u ON u.id = s.user_id "
    "LEFT JOIN api_keys k ON k.id = s.api_key_id WHERE u.suspended = 0 ";

SessionOwner ownerAt(const Row& row) {
  SessionOwner owner;
  owner.session_id = row.text("id");
  owner.user_id = row.text("user_id");
  owner.username = row.text("username");
  owner.team_id = row.optionalText("only_team").value_or("");
  owner.key_id = row.optionalText("key_id").value_or("");
  owner.key_expires_at = row.optionalTime("key_expires_at");
  owner.expires_at = row.time("expires_at");
  owner.last_used_at = row.time("last_used_at");
  return owner;
}

}  // namespace

Result<UserSession> SessionRepository::insert(const NewSession& session, std::string_view token) {
  const UserSession made = sessionOf(session, clock_.now());
  const std::string digest = digestOf(token);
  return database_.write([&](Session& transaction) -> Result<UserSession> {
    TRY(store(transaction, made, digest));
    return made;
  });
}

Result<UserSession> SessionRepository::insertWithCode(NewSession session,
                                                      std::string_view token,
                                                      std::string_view code_digest) {
  const UserSession fresh = sessionOf(std::move(session), clock_.now());
  const std::string digest = digestOf(token);
  return database_.write([&](Session& transaction) -> Result<UserSession> {
    UserSession made = fresh;
    const std::optional<Row> row = TRY(transaction.queryOne(
        "SELECT user_id, expires_at FROM sign_in_codes WHERE digest = ?", {code_digest}));
    if (!row.has_value() || row->time("expires_at") <= made.created_at) {
      return Error::unauthenticated();
    }
    TRY(transaction.execute("DELETE FROM sign_in_codes WHERE digest = ?", {code_digest}));
    made.user_id = row->text("user_id");
    TRY(store(transaction, made, digest));
    return made;
  });
}

Result<std::optional<SessionOwner>> SessionRepository::findOwner(std::string_view digest) {
  return database_.read([&](Session& session) -> Result<std::optional<SessionOwner>> {
    const std::optional<Row> row =
        TRY(session.queryOne(kSelectOwners + "AND s.digest = ?", {digest}));
    if (!row.has_value() || !equalInConstantTime(row->text("digest"), digest)) {
      return std::optional<SessionOwner>();
    }
    return std::optional(ownerAt(*row));
  });
}

Result<std::optional<SessionOwner>> SessionRepository::findOwnerById(std::string_view id) {
  return database_.read([&](Session& session) -> Result<std::optional<SessionOwner>> {
    const std::optional<Row> row = TRY(session.queryOne(kSelectOwners + "AND s.id = ?", {id}));
    return row ? std::optional(ownerAt(*row)) : std::nullopt;
  });
}

Result<UserSession> SessionRepository::find(std::string_view id) {
  return selectSessions().one(database_, "WHERE s.id = ?", {id});
}

Result<Page<UserSession>> SessionRepository::list(std::string_view user_id,
                                                  const PageRequest& page) {
  return selectSessions().page(
      database_, "WHERE s.user_id = ? AND s.expires_at > ? AND s.id < ? ORDER BY s.id DESC LIMIT ?",
      {user_id, clock_.now()}, page);
}

Result<void> SessionRepository::remove(std::string_view id) {
  return database_.write([&](Session& session) -> Result<void> {
    const UserSession removed = TRY(selectSessions().one(session, "WHERE s.id = ?", {id}));
    return removeSession(session, removed, clock_.now());
  });
}

Result<void> SessionRepository::removeByToken(std::string_view token) {
  const std::string digest = digestOf(token);
  return database_.write([&](Session& session) -> Result<void> {
    const Result<UserSession> removed =
        selectSessions().one(session, "WHERE s.digest = ?", {digest});
    if (!removed && removed.error().code() == ErrorCode::kNotFound) return {};
    if (!removed) return removed.error();
    return removeSession(session, *removed, clock_.now());
  });
}

Result<void> SessionRepository::removeExpired(Timestamp idle_since) {
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<void> {
    TRY(session.execute("DELETE FROM user_sessions WHERE expires_at <= ? OR last_used_at <= ?",
                        {now, idle_since}));
    TRY(session.execute("DELETE FROM sign_in_codes WHERE expires_at <= ?", {now}));
    return {};
  });
}

Result<void> SessionRepository::recordUses(
    const std::vector<std::pair<std::string, Timestamp>>& uses) {
  return database_.write([&](Session& session) -> Result<void> {
    for (const auto& [id, time] : uses) {
      TRY(session.execute(
          "UPDATE user_sessions SET last_used_at = ? WHERE id = ? AND last_used_at < ?",
          {time, id, time}));
    }
    return {};
  });
}

std::string SessionRepository::digestOf(std::string_view token) const {
  return digestOfKey(server_key_, token);
}

std::optional<std::uint64_t> SessionRepository::changeToken() { return database_.changeToken(); }

Result<void> removeSignInsOf(Session& session, std::string_view user_id) {
  TRY(session.execute("DELETE FROM sign_in_codes WHERE user_id = ?", {user_id}));
  TRY(session.execute("DELETE FROM user_sessions WHERE user_id = ?", {user_id}));
  return {};
}

}  // namespace spindle::identity
