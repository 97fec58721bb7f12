#include "identity/store/credential_repository.h"

#include "identity/audit/audit_trail.h"
#include "identity/store/identity_rows.h"
#include "identity/store/session_repository.h"
#include "identity/types/api_key.h"
#include "identity/types/session.h"
#include "storage/database/database.h"

namespace spindle::identity {
namespace {

using storage::Row, storage::Session;

/// @return kNotFound, kConflict for a service account.
Result<User> requirePerson(Session& session, std::string_view user_id) {
  const User user = TRY(findUser(session, user_id));
  if (user.kind == UserKind::kService) {
    return Error::conflict("A service account signs in with its API keys only.")
        .because("service_account");
  }
  return user;
}

}  // namespace

Result<std::optional<std::string>> CredentialRepository::findPassword(std::string_view user_id) {
  return database_.read([&](Session& session) -> Result<std::optional<std::string>> {
    const std::optional<Row> row =
        TRY(session.queryOne("SELECT password FROM user_credentials WHERE user_id = ?", {user_id}));
    return row ? row->optionalText("password") : std::nullopt;
  });
}

Result<void> CredentialRepository::setPassword(std::string_view user_id, std::string_view hash) {
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<void> {
    const User user = TRY(requirePerson(session, user_id));
    TRY(recordChange(
        session, {.action = "password.change", .target_id = user.id, .target_name = user.username},
        now));
    TRY(session.execute(
        "INSERT INTO user_credentials (user_id, password, password_changed_at) VALUES (?, ?, ?) "
        "ON CONFLICT (user_id) DO UPDATE SET password = excluded.password, "
        "password_changed_at = excluded.password_changed_at",
        {user_id, hash, now}));
    return removeSignInsOf(session, user_id);
  });
}

Result<Secret> CredentialRepository::issueCode(std::string_view user_id) {
  const Secret code = newSessionToken();
  const std::string digest = digestOfCode(code.reveal());
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<Secret> {
    const User user = TRY(requirePerson(session, user_id));
    TRY(recordChange(
        session,
        {.action = "sign_in_code.create", .target_id = user.id, .target_name = user.username},
        now));
    TRY(session.execute("DELETE FROM sign_in_codes WHERE expires_at <= ?", {now}));
    TRY(session.execute("INSERT INTO sign_in_codes (digest, user_id, expires_at) VALUES (?, ?, ?)",
                        {digest, user_id, now + kCodeLifetime}));
    return code;
  });
}

std::string CredentialRepository::digestOfCode(std::string_view code) const {
  return digestOfKey(server_key_, code);
}

Result<bool> CredentialRepository::hasSignedIn(std::string_view user_id) {
  return database_.read([&](Session& session) -> Result<bool> {
    const std::optional<Row> row = TRY(session.queryOne(
        "SELECT last_sign_in_at FROM user_credentials WHERE user_id = ?", {user_id}));
    return row && !row->isNull("last_sign_in_at");
  });
}

}  // namespace spindle::identity
