#include "automation/webhooks/secret_store.h"

#include <chrono>
#include <utility>
#include <vector>

#include "identity/audit/audit_trail.h"
#include "storage/database/database.h"

namespace spindle::automation {
namespace {

using identity::IfVersion, identity::Page, identity::PageRequest;
using storage::Row, storage::Session;

constexpr std::chrono::hours kRotationGrace{24};
constexpr std::size_t kKeyIdDigits = 16;

/// Returns SELECT … FROM secrets s, without a condition.
const SqlText& selectSecrets() {
  static const SqlText select =
      "SELECT " + versionedColumns().list("s") +
      ", s.name, (SELECT count(*) FROM webhooks w WHERE w.team_id = s.team_id AND "
      "(w.access_token_ref = s.name OR w.secret_ref = s.name)) AS used_by_count FROM secrets s ";
  return select;
}

SecretEntry secretEntryAt(const Row& row) {
  return {versionedColumns().read(row), row.text("name"), row.integer("used_by_count")};
}

Result<SecretEntry> findEntry(Session& session, const SecretKey& key) {
  const std::optional<Row> row = TRY(session.queryOne(
      selectSecrets() + "WHERE s.team_id = ? AND s.name = ?", {key.team_id, key.name}));
  if (!row.has_value()) return Error::notFound("Secret not found");
  return secretEntryAt(*row);
}

Error unavailable() {
  return Error(ErrorCode::kUnprocessable, "A secret of the webhook is missing or unreadable.")
      .because("secret_unavailable");
}

/// Returns the context that an encrypted value is bound to. Names contain no newline.
std::string contextOf(const SecretKey& key, std::int64_t version) {
  return std::string(key.team_id) + "\n" + std::string(key.name) + "\n" + std::to_string(version);
}

Result<void> recordSecretChange(Session& session,
                                std::string_view action,
                                const SecretKey& key,
                                std::string_view id,
                                Timestamp now) {
  return identity::recordChange(
      session, {.action = action, .target_id = id, .target_name = key.name, .team_id = key.team_id},
      now);
}

}  // namespace

SecretStore::SecretStore(storage::Database& database, const Clock& clock, const Sha256& key)
    : database_(database),
      clock_(clock),
      sealer_(key),
      key_id_(toHex(hmacSha256({reinterpret_cast<const char*>(key.data()), key.size()}, "key-id"))
                  .substr(0, kKeyIdDigits)) {}

Result<SecretEntry> SecretStore::insert(const SecretKey& key, const Secret& value) {
  const VersionedRow fresh = newRow("sec_", clock_.now());
  ColumnValues row = versionedColumns().of(fresh);
  row.add({{"team_id", key.team_id},
           {"name", key.name},
           {"key_id", key_id_},
           {"sealed", sealer_.seal(value, contextOf(key, fresh.version))}});
  return database_.write([&](Session& session) -> Result<SecretEntry> {
    const std::int64_t inserted = TRY(session.execute(
        row.insertInto("secrets") + " ON CONFLICT (team_id, name) DO NOTHING", row.values()));
    if (inserted == 0) {
      return Error::conflict("A secret with this name exists already.")
          .because("secret_name_taken");
    }
    TRY(recordSecretChange(session, "secret.create", key, fresh.id, fresh.created_at));
    return findEntry(session, key);
  });
}

Result<SecretEntry> SecretStore::rotate(const SecretKey& key,
                                        const Secret& value,
                                        IfVersion if_version) {
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<SecretEntry> {
    const SecretEntry entry = TRY(findEntry(session, key));
    TRY(identity::checkVersion(if_version, entry.version));
    const std::int64_t version = entry.version + 1;
    TRY(session.execute(
        "UPDATE secrets SET previous_sealed = CASE WHEN key_id = ? THEN sealed END, "
        "previous_until = ?, sealed = ?, key_id = ?, version = ?, updated_at = ? "
        "WHERE team_id = ? AND name = ?",
        {key_id_, now + kRotationGrace, sealer_.seal(value, contextOf(key, version)), key_id_,
         version, now, key.team_id, key.name}));
    TRY(recordSecretChange(session, "secret.rotate", key, entry.id, now));
    return findEntry(session, key);
  });
}

Result<void> SecretStore::remove(const SecretKey& key, bool force, IfVersion if_version) {
  return database_.write([&](Session& session) -> Result<void> {
    const SecretEntry entry = TRY(findEntry(session, key));
    TRY(identity::checkVersion(if_version, entry.version));
    if (entry.used_by_count > 0 && !force) {
      return Error::conflict("Webhooks of the team use this secret.").because("secret_in_use");
    }
    TRY(session.execute("DELETE FROM secrets WHERE team_id = ? AND name = ?",
                        {key.team_id, key.name}));
    return recordSecretChange(session, "secret.delete", key, entry.id, clock_.now());
  });
}

Result<Page<SecretEntry>> SecretStore::list(std::string_view team_id, const PageRequest& page) {
  return database_.read([&](Session& session) -> Result<Page<SecretEntry>> {
    const Conditions conditions{{"s.team_id =", team_id}, {"s.id <", page.below()}};
    std::vector<SecretEntry> entries =
        TRY(firstRows(session, selectSecrets(), conditions, "ORDER BY s.id DESC LIMIT ?",
                      page.limit + 1, secretEntryAt));
    return identity::pageOf(std::move(entries), page);
  });
}

Result<Credentials> SecretStore::resolve(std::string_view team_id,
                                         const std::optional<std::string>& access_token_ref,
                                         const std::optional<std::string>& secret_ref) {
  const Timestamp now = clock_.now();
  return database_.read([&](Session& session) -> Result<Credentials> {
    Credentials credentials;
    for (const bool is_token : {true, false}) {
      const std::optional<std::string>& name = is_token ? access_token_ref : secret_ref;
      if (!name) continue;
      const std::optional<Row> row = TRY(session.queryOne(
          "SELECT version, key_id, sealed, previous_sealed, previous_until FROM secrets "
          "WHERE team_id = ? AND name = ?",
          {team_id, *name}));
      if (!row.has_value() || row->text("key_id") != key_id_) return unavailable();
      const std::int64_t version = row->integer("version");
      std::optional<Secret> value =
          sealer_.open(row->text("sealed"), contextOf({team_id, *name}, version));
      if (!value) return unavailable();
      if (is_token) {
        credentials.access_token = std::move(value);
        continue;
      }
      credentials.secret_name = *name;
      credentials.secret = *std::move(value);
      const std::optional<std::string> previous = row->optionalText("previous_sealed");
      const std::optional<Timestamp> until = row->optionalTime("previous_until");
      if (previous && until && now < *until) {
        credentials.previous_secret =
            sealer_.open(*previous, contextOf({team_id, *name}, version - 1));
      }
    }
    return credentials;
  });
}

Result<std::int64_t> SecretStore::deleteRotated() {
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<std::int64_t> {
    return session.execute(
        "UPDATE secrets SET previous_sealed = NULL, previous_until = NULL "
        "WHERE previous_until <= ?",
        {now});
  });
}

}  // namespace spindle::automation
