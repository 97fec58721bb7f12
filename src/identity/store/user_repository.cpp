#include "identity/store/user_repository.h"

#include <string>

#include "base/crypto/id.h"
#include "identity/store/identity_rows.h"
#include "identity/types/names.h"
#include "storage/database/database.h"

namespace spindle::identity {
namespace {

using storage::Row, storage::Rows, storage::Session;

/// Returns a LIKE pattern that matches the text anywhere, with special characters escaped.
std::string likePattern(std::string_view text) {
  std::string pattern = "%";
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern + "%";
}

Error validationError(const NewUser& user) {
  if (!isUsername(user.username)) {
    return Error::invalidArgument(
        "A user name has 1 to 64 letters, digits, dots, underscores and hyphens, and begins with a "
        "letter or digit.");
  }
  return Error::invalidArgument("An e-mail address has an @ and at most 254 characters.");
}

}  // namespace

Result<User> UserRepository::insert(const NewUser& fresh) {
  if (!isUsername(fresh.username) || (fresh.email && !isEmail(*fresh.email))) {
    return validationError(fresh);
  }
  User user;
  user.created_at = user.updated_at = clock_.now();
  user.id = newPrefixedId("usr_", user.created_at);
  user.username = fresh.username;
  user.email = fresh.email;
  user.name = fresh.name;
  user.organization_admin = fresh.organization_admin;
  return database_.write([&](Session& session) -> Result<User> {
    const Rows taken =
        TRY(session.query("SELECT username_key FROM users WHERE username_key = ? OR email_key = ?",
                          {foldCase(user.username), foldCase(user.email.value_or(""))}));
    for (const Row& row : taken) {
      if (row.text("username_key") == foldCase(user.username)) {
        return Error::conflict("This user name is taken.").because("username_taken");
      }
    }
    if (!taken.empty()) {
      return Error::conflict("This e-mail address is taken.").because("email_taken");
    }
    TRY(insertRow(session, user));
    return user;
  });
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

Result<User> UserRepository::setOrganizationAdmin(std::string_view id, bool admin) {
  return database_.write([&](Session& session) -> Result<User> {
    Result<User> user = findUser(session, id);
    if (!user || user->organization_admin == admin) return user;
    if (user->kind == UserKind::kService) {
      return Error::conflict("A service account cannot administer the organization.")
          .because("service_account");
    }
    if (!admin) {
      const std::optional<Row> others = TRY(session.queryOne(
          "SELECT count(*) FROM users WHERE organization_admin = 1 AND id <> ?", {id}));
      if (others->integer(0) == 0) {
        return Error::conflict("The organization needs an administrator.").because("last_admin");
      }
    }
    TRY(session.execute(
        "UPDATE users SET organization_admin = ?, version = version + 1, updated_at = ? "
        "WHERE id = ?",
        {admin, clock_.now(), id}));
    return findUser(session, id);
  });
}

Result<bool> UserRepository::isEmpty() {
  return database_.read([](Session& session) -> Result<bool> {
    const std::optional<Row> row = TRY(session.queryOne("SELECT id FROM users LIMIT 1"));
    return !row.has_value();
  });
}

}  // namespace spindle::identity
