#include "identity/store/user_repository.h"

#include <string>

#include "identity/store/identity_rows.h"
#include "identity/store/session_repository.h"
#include "identity/store/user_insertion.h"
#include "identity/types/names.h"
#include "storage/database/database.h"

namespace spindle::identity {
namespace {

using storage::Row, storage::Session;

/// Returns a LIKE pattern that matches the text anywhere, with special characters escaped.
std::string likePattern(std::string_view text) {
  std::string pattern = "%";
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern + "%";
}

bool isActiveAdmin(const User& user) { return user.organization_admin && !user.suspended; }

/// Checks that the organization keeps an admin who can sign in.
Result<void> requireOtherAdmin(Session& session, std::string_view leaving_id) {
  const std::optional<Row> others = TRY(
      session.queryOne("SELECT count(*) FROM users WHERE organization_admin = 1 AND suspended = 0 "
                       "AND id <> ?",
                       {leaving_id}));
  if (others->integer(0) > 0) return {};
  return Error::conflict("The organization needs an administrator.").because("last_admin");
}

void apply(const UserChange& change, User& user) {
  if (change.name) user.name = *change.name;
  if (change.email) user.email = *change.email;
  if (change.organization_admin) user.organization_admin = *change.organization_admin;
  if (change.suspended) user.suspended = *change.suspended;
}

/// Checks the user after a change. @return kConflict.
Result<void> checkChanged(Session& session, const User& before, const User& after) {
  if (after.kind == UserKind::kService && (after.organization_admin || after.email)) {
    return Error::conflict("A service account cannot administer the organization.")
        .because("service_account");
  }
  if (isActiveAdmin(before) && !isActiveAdmin(after)) {
    TRY(requireOtherAdmin(session, after.id));
  }
  if (!after.email || after.email == before.email) return {};
  const std::optional<Row> taken = TRY(session.queryOne(
      "SELECT id FROM users WHERE email_key = ? AND id <> ?", {foldCase(*after.email), after.id}));
  if (taken.has_value()) return emailTaken();
  return {};
}

std::string_view auditActionOf(const User& before, const User& after) {
  if (after.suspended == before.suspended) return "user.update";
  return after.suspended ? "user.suspend" : "user.resume";
}

}  // namespace

Result<User> UserRepository::insert(const NewUser& user) {
  return database_.write([&](Session& session) { return insertUser(session, user, clock_.now()); });
}

Result<User> UserRepository::find(std::string_view id) {
  return database_.read([&](Session& session) { return findUser(session, id); });
}

Result<User> UserRepository::findByUsername(std::string_view username) {
  return selectUsers().one(database_, "WHERE u.username_key = ?", {foldCase(username)});
}

Result<Page<User>> UserRepository::list(std::string_view text, const PageRequest& page) {
  const std::string pattern = likePattern(foldCase(text));
  return selectUsers().page(
      database_,
      "WHERE (u.username_key LIKE ? ESCAPE '\\' OR coalesce(u.email_key, '') LIKE ? ESCAPE "
      "'\\') AND u.id < ? ORDER BY u.id DESC LIMIT ?",
      {pattern, pattern}, page);
}

Result<User> UserRepository::update(std::string_view id,
                                    const UserChange& change,
                                    IfVersion if_version) {
  if (change.email && *change.email && !isEmail(**change.email)) return invalidEmail();
  return database_.write([&](Session& session) -> Result<User> {
    const User before = TRY(findUser(session, id));
    TRY(checkVersion(if_version, before.version));
    User user = before;
    apply(change, user);
    TRY(checkChanged(session, before, user));
    const Timestamp now = clock_.now();
    std::optional<std::string> email_key;
    if (user.email) email_key = foldCase(*user.email);
    TRY(session.execute(
        "UPDATE users SET name = ?, email = ?, email_key = ?, organization_admin = ?, "
        "suspended = ?, version = version + 1, updated_at = ? WHERE id = ?",
        {user.name, user.email, email_key, user.organization_admin, user.suspended, now, id}));
    // They would work again after the user is resumed.
    if (user.suspended && !before.suspended) TRY(removeSignInsOf(session, id));
    TRY(recordUserChange(session, auditActionOf(before, user), user, now));
    return findUser(session, id);
  });
}

Result<void> UserRepository::remove(std::string_view id, IfVersion if_version) {
  return database_.write([&](Session& session) -> Result<void> {
    const User user = TRY(findUser(session, id));
    TRY(checkVersion(if_version, user.version));
    if (isActiveAdmin(user)) {
      TRY(requireOtherAdmin(session, id));
    }
    TRY(recordUserChange(session, "user.delete", user, clock_.now()));
    TRY(session.execute("DELETE FROM users WHERE id = ?", {id}));
    return {};
  });
}

Result<bool> UserRepository::isEmpty() {
  return database_.read([](Session& session) -> Result<bool> {
    const std::optional<Row> row = TRY(session.queryOne("SELECT id FROM users LIMIT 1"));
    return !row.has_value();
  });
}

}  // namespace spindle::identity
