#include "identity/store/api_key_repository.h"

#include "base/crypto/id.h"
#include "identity/audit/audit_trail.h"
#include "identity/store/identity_rows.h"
#include "identity/store/team_repository.h"
#include "identity/types/names.h"
#include "storage/database/database.h"

namespace spindle::identity {
namespace {

using storage::Row, storage::Session;

/// Generates a key that is not stored yet.
IssuedKey generateKey(const NewApiKey& wanted, Timestamp now) {
  KeyText text = newKeyText();
  ApiKey key;
  key.id = newPrefixedId("key_", now);
  key.owner_id = wanted.owner_id;
  key.key_id = std::move(text.key_id);
  key.name = wanted.name;
  key.created_at = now;
  key.expires_at = wanted.expires_at;
  return {std::move(key), std::move(text.text)};
}

/// Records a change of a key. The key of a service account belongs to the account's team.
Result<void> recordKeyChange(Session& session,
                             std::string_view action,
                             const ApiKey& key,
                             const User& owner,
                             Timestamp now) {
  return recordChange(session,
                      {.action = action,
                       .target_id = key.id,
                       .target_name = key.name,
                       .team_id = owner.team_id ? std::string_view(*owner.team_id) : "",
                       .details = {{"key_id", key.key_id}, {"owner", owner.username}}},
                      now);
}

}  // namespace

Result<IssuedKey> ApiKeyRepository::issue(const NewApiKey& wanted) {
  if (!isLabel(wanted.name)) {
    return Error::invalidArgument("The name of a key has 1 to 128 characters.");
  }
  const Timestamp now = clock_.now();
  if (wanted.expires_at && *wanted.expires_at <= now) {
    return Error::invalidArgument("The expiry of a key must be in the future.");
  }
  const IssuedKey issued = generateKey(wanted, now);
  return database_.write([&](Session& session) -> Result<IssuedKey> {
    const User owner = TRY(findUser(session, wanted.owner_id));
    const std::optional<Row> taken = TRY(session.queryOne(
        "SELECT id FROM api_keys WHERE owner_id = ? AND name = ?", {wanted.owner_id, wanted.name}));
    if (taken.has_value()) {
      return Error::conflict("A key with this name exists already.").because("key_name_taken");
    }
    TRY(insertRow(session, issued.key, digestOf(issued.text.reveal())));
    TRY(recordKeyChange(session, "api_key.create", issued.key, owner, now));
    return issued;
  });
}

Result<ApiKeyRepository::NewAccount> ApiKeyRepository::issueForServiceAccount(
    const NewServiceAccount& wanted) {
  if (!isLabel(wanted.description)) {
    return Error::invalidArgument("The description of a service account has 1 to 128 characters.");
  }
  if (wanted.role == TeamRole::kViewer) {
    return Error::invalidArgument("A service account cannot be a viewer.");
  }
  User account;
  account.created_at = account.updated_at = clock_.now();
  account.id = newPrefixedId("usr_", account.created_at);
  account.username = "service-" + foldCase(account.id.substr(account.id.find('_') + 1));
  account.name = wanted.description;
  account.kind = UserKind::kService;
  account.description = wanted.description;
  account.scope = wanted.team_id ? ServiceScope::kTeam : ServiceScope::kOrganization;
  account.team_id = wanted.team_id;
  NewApiKey first;
  first.owner_id = account.id;
  first.name = wanted.description;
  const IssuedKey issued = generateKey(first, account.created_at);
  return database_.write([&](Session& session) -> Result<NewAccount> {
    const std::optional<Row> taken = TRY(session.queryOne(
        "SELECT id FROM users WHERE kind = 'service' AND coalesce(team_id, '') = ? AND "
        "description = ?",
        {wanted.team_id.value_or(""), wanted.description}));
    if (taken.has_value()) {
      return Error::conflict("A service account with this description exists already.")
          .because("service_account_taken");
    }
    TRY(insertRow(session, account));
    if (wanted.team_id) {
      TRY(insertMembership(session, *wanted.team_id, account.id, wanted.role, account.created_at));
    }
    TRY(insertRow(session, issued.key, digestOf(issued.text.reveal())));
    TRY(recordChange(session,
                     {.action = "service_account.create",
                      .target_id = account.id,
                      .target_name = account.username,
                      .team_id = wanted.team_id ? std::string_view(*wanted.team_id) : "",
                      .details = {{"description", wanted.description},
                                  {"scope", std::string(textOf(*account.scope))},
                                  {"key_id", issued.key.key_id}}},
                     account.created_at));
    return NewAccount{account, issued};
  });
}

Result<ApiKey> ApiKeyRepository::find(std::string_view id) {
  return selectApiKeys().one(database_, "WHERE k.id = ?", {id});
}

Result<Page<ApiKey>> ApiKeyRepository::list(std::string_view owner_id, const PageRequest& page) {
  return selectApiKeys().page(
      database_, "WHERE k.owner_id = ? AND k.id < ? ORDER BY k.id DESC LIMIT ?", {owner_id}, page);
}

Result<void> ApiKeyRepository::remove(std::string_view id) {
  return database_.write([&](Session& session) -> Result<void> {
    const ApiKey key = TRY(selectApiKeys().one(session, "WHERE k.id = ?", {id}));
    const User owner = TRY(findUser(session, key.owner_id));
    TRY(session.execute("DELETE FROM api_keys WHERE id = ?", {id}));
    return recordKeyChange(session, "api_key.revoke", key, owner, clock_.now());
  });
}

Result<std::optional<ApiKeyOwner>> ApiKeyRepository::findOwner(std::string_view digest) {
  return database_.read([&](Session& session) -> Result<std::optional<ApiKeyOwner>> {
    const std::optional<Row> row = TRY(session.queryOne(
        "SELECT k.id, k.key_id, k.digest, k.expires_at, k.last_used_at, u.id AS user_id, "
        "u.username, coalesce(u.team_id, (SELECT CASE WHEN count(*) = 1 THEN max(m.team_id) END "
        "FROM memberships m WHERE m.user_id = u.id AND m.pending = 0)) AS only_team "
        "FROM api_keys k JOIN users u ON u.id = k.owner_id WHERE k.digest = ? AND u.suspended = 0",
        {digest}));
    if (!row.has_value() || !equalInConstantTime(row->text("digest"), digest)) {
      return std::optional<ApiKeyOwner>();
    }
    ApiKeyOwner owner;
    owner.user_id = row->text("user_id");
    owner.username = row->text("username");
    owner.api_key_id = row->text("id");
    owner.key_id = row->text("key_id");
    owner.team_id = row->optionalText("only_team").value_or("");
    owner.expires_at = row->optionalTime("expires_at");
    owner.last_used_at = row->optionalTime("last_used_at");
    return std::optional<ApiKeyOwner>(std::move(owner));
  });
}

Result<bool> ApiKeyRepository::isValid(std::string_view owner_id, std::string_view key_id) {
  return database_.read([&](Session& session) -> Result<bool> {
    const std::optional<Row> row = TRY(
        session.queryOne("SELECT k.expires_at FROM api_keys k JOIN users u ON u.id = k.owner_id "
                         "WHERE k.key_id = ? AND k.owner_id = ? AND u.suspended = 0",
                         {key_id, owner_id}));
    if (!row.has_value()) return false;
    const std::optional<Timestamp> expires_at = row->optionalTime("expires_at");
    return !expires_at || *expires_at > clock_.now();
  });
}

Result<void> ApiKeyRepository::recordUses(
    const std::vector<std::pair<std::string, Timestamp>>& uses) {
  return database_.write([&](Session& session) -> Result<void> {
    for (const auto& [id, time] : uses) {
      TRY(session.execute(
          "UPDATE api_keys SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, 0) < ?",
          {time, id, time}));
    }
    return {};
  });
}

Result<bool> ApiKeyRepository::install(std::string_view owner_id,
                                       std::string_view text,
                                       KeySource source) {
  const bool environment = source == KeySource::kEnvironment;
  const std::string source_text = environment ? "environment" : "file";
  const std::string digest = digestOf(text);
  const Timestamp now = clock_.now();
  // The digest is a keyed hash, so a part of it may be shown. It replaces the id of generated keys.
  ApiKey key;
  key.id = newPrefixedId("key_", now);
  key.owner_id = std::string(owner_id);
  key.key_id = "ext_" + digest.substr(0, 12);
  key.name = source_text + "-" + digest.substr(0, 8);
  key.created_at = now;
  return database_.write([&](Session& session) -> Result<bool> {
    if (environment) {
      TRY(
          session.execute("DELETE FROM api_keys WHERE owner_id = ? AND digest <> ? AND digest IN "
                          "(SELECT digest FROM bootstrap_keys WHERE source = ?)",
                          {owner_id, digest, source_text}));
    }
    const std::optional<Row> present =
        TRY(session.queryOne("SELECT owner_id FROM api_keys WHERE digest = ?", {digest}));
    if (present.has_value()) {
      if (present->text("owner_id") == owner_id) return true;
      return Error::conflict("This key belongs to another user.");
    }
    const std::int64_t first = TRY(session.execute(
        "INSERT INTO bootstrap_keys (digest, source, installed_at) VALUES (?, ?, ?) "
        "ON CONFLICT (digest) DO NOTHING",
        {digest, source_text, now}));
    if (first == 0 && !environment) return false;
    TRY(insertRow(session, key, digest));
    const User owner = TRY(findUser(session, owner_id));
    TRY(recordKeyChange(session, "api_key.create", key, owner, now));
    return true;
  });
}

std::optional<std::uint64_t> ApiKeyRepository::changeToken() { return database_.changeToken(); }

}  // namespace spindle::identity
