#include "identity/store/user_insertion.h"

#include <string>

#include "base/crypto/id.h"
#include "identity/audit/audit_trail.h"
#include "identity/store/identity_rows.h"
#include "identity/types/names.h"
#include "storage/database/session.h"

namespace spindle::identity {
namespace {

using storage::Row, storage::Rows, storage::Session;

Error validationError(const NewUser& user) {
  if (!isUsername(user.username)) {
    return Error::invalidArgument(
        "A user name has 1 to 64 letters, digits, dots, underscores and hyphens, and begins with a "
        "letter or digit.");
  }
  return invalidEmail();
}

}  // namespace

Error invalidEmail() {
  return Error::invalidArgument("An e-mail address has an @ and at most 254 characters.");
}
Error emailTaken() {
  return Error::conflict("This e-mail address is taken.").because("email_taken");
}

Result<void> recordUserChange(Session& session,
                              std::string_view action,
                              const User& user,
                              Timestamp now) {
  return recordChange(
      session,
      {.action = action,
       .target_id = user.id,
       .target_name = user.username,
       .team_id = user.team_id ? std::string_view(*user.team_id) : "",
       .details = {{"organization_admin", user.organization_admin ? "true" : "false"}}},
      now);
}

Result<User> insertUser(Session& session, const NewUser& fresh, Timestamp now) {
  if (!isUsername(fresh.username) || (fresh.email && !isEmail(*fresh.email))) {
    return validationError(fresh);
  }
  const Rows taken =
      TRY(session.query("SELECT username_key FROM users WHERE username_key = ? OR email_key = ?",
                        {foldCase(fresh.username), foldCase(fresh.email.value_or(""))}));
  for (const Row& row : taken) {
    if (row.text("username_key") == foldCase(fresh.username)) {
      return Error::conflict("This user name is taken.").because("username_taken");
    }
  }
  if (!taken.empty()) return emailTaken();
  User user;
  user.created_at = user.updated_at = now;
  user.id = newPrefixedId("usr_", now);
  user.username = fresh.username;
  user.email = fresh.email;
  user.name = fresh.name;
  user.organization_admin = fresh.organization_admin;
  TRY(insertRow(session, user));
  TRY(recordUserChange(session, "user.create", user, now));
  return user;
}

}  // namespace spindle::identity
