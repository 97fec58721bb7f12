#include "automation/webhooks/secret_store.h"

#include <chrono>
#include <utility>
#include <vector>

#include "base/crypto/id.h"
#include "storage/database/columns.h"
#include "storage/database/database.h"

namespace spindle::automation {
namespace {

using identity::IfVersion, identity::Page, identity::PageRequest;
using storage::Row, storage::Rows, storage::Session;

constexpr std::chrono::hours kRotationGrace{24};
constexpr std::size_t kKeyIdDigits = 16;

const storage::Columns<SecretEntry>& secretEntryColumns() {
  static const storage::Columns<SecretEntry> columns{{"id", &SecretEntry::id},
                                                     {"name", &SecretEntry::name},
                                                     {"version", &SecretEntry::version},
                                                     {"created_at", &SecretEntry::created_at},
                                                     {"updated_at", &SecretEntry::updated_at}};
  return columns;
}

SqlText selectSecrets(SqlView tail) {
  return "SELECT " + secretEntryColumns().list("s") +
         ", (SELECT count(*) FROM webhooks w WHERE w.team_id = s.team_id AND (w.access_token_ref = "
         "s.name OR w.secret_ref = s.name)) AS used_by_count FROM secrets s " +
         tail;
}

SecretEntry secretEntryAt(const Row& row) {
  SecretEntry entry = secretEntryColumns().read(row);
  entry.used_by_count = row.integer("used_by_count");
  return entry;
}

Result<SecretEntry> findEntry(Session& session, std::string_view team_id, std::string_view name) {
  const std::optional<Row> row =
      TRY(session.queryOne(selectSecrets("WHERE s.team_id = ? AND s.name = ?"), {team_id, name}));
  if (!row.has_value()) return Error::notFound("Secret not found");
  return secretEntryAt(*row);
}

Error unavailable() {
  return Error(ErrorCode::kUnprocessable, "A secret of the webhook is missing or unreadable.")
      .because("secret_unavailable");
}

/// Returns the context that an encrypted value is bound to. Names contain no newline.
std::string contextOf(std::string_view team_id, std::string_view name, std::int64_t version) {
  return std::string(team_id) + "\n" + std::string(name) + "\n" + std::to_string(version);
}

}  // namespace

SecretStore::SecretStore(storage::Database& database, const Clock& clock, const Sha256& key)
    : database_(database),
      clock_(clock),
      sealer_(key),
      key_id_(toHex(hmacSha256({reinterpret_cast<const char*>(key.data()), key.size()}, "key-id"))
                  .substr(0, kKeyIdDigits)) {}

Result<SecretEntry> SecretStore::insert(std::string_view team_id,
                                        std::string_view name,
                                        const Secret& value) {
  const Timestamp now = clock_.now();
  const std::string id = newPrefixedId("sec_", now);
  const std::string kept = sealer_.seal(value, contextOf(team_id, name, 1));
  return database_.write([&](Session& session) -> Result<SecretEntry> {
    const std::int64_t inserted = TRY(session.execute(
        "INSERT INTO secrets (id, team_id, name, version, key_id, sealed, created_at, updated_at) "
        "VALUES (?, ?, ?, 1, ?, ?, ?, ?) ON CONFLICT (team_id, name) DO NOTHING",
        {id, team_id, name, key_id_, kept, now, now}));
    if (inserted == 0) {
      return Error::conflict("A secret with this name exists already.")
          .because("secret_name_taken");
    }
    return findEntry(session, team_id, name);
  });
}

Result<SecretEntry> SecretStore::rotate(std::string_view team_id,
                                        std::string_view name,
                                        const Secret& value,
                                        IfVersion if_version) {
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<SecretEntry> {
    const SecretEntry entry = TRY(findEntry(session, team_id, name));
    TRY(identity::checkVersion(if_version, entry.version));
    const std::int64_t version = entry.version + 1;
    TRY(session.execute(
        "UPDATE secrets SET previous_sealed = CASE WHEN key_id = ? THEN sealed END, "
        "previous_until = ?, sealed = ?, key_id = ?, version = ?, updated_at = ? "
        "WHERE team_id = ? AND name = ?",
        {key_id_, now + kRotationGrace, sealer_.seal(value, contextOf(team_id, name, version)),
         key_id_, version, now, team_id, name}));
    return findEntry(session, team_id, name);
  });
}

Result<void> SecretStore::remove(std::string_view team_id,
                                 std::string_view name,
                                 bool force,
                                 IfVersion if_version) {
  return database_.write([&](Session& session) -> Result<void> {
    const SecretEntry entry = TRY(findEntry(session, team_id, name));
    TRY(identity::checkVersion(if_version, entry.version));
    if (entry.used_by_count > 0 && !force) {
      return Error::conflict("Webhooks of the team use this secret.").because("secret_in_use");
    }
    TRY(session.execute("DELETE FROM secrets WHERE team_id = ? AND name = ?", {team_id, name}));
    return {};
  });
}

Result<Page<SecretEntry>> SecretStore::list(std::string_view team_id, const PageRequest& page) {
  return database_.read([&](Session& session) -> Result<Page<SecretEntry>> {
    const Rows rows = TRY(
        session.query(selectSecrets("WHERE s.team_id = ? AND s.id < ? ORDER BY s.id DESC LIMIT ?"),
                      {team_id, page.below(), page.limit + 1}));
    std::vector<SecretEntry> entries;
    for (const Row& row : rows) entries.push_back(secretEntryAt(row));
    return identity::pageOf(std::move(entries), page.limit,
                            [](const SecretEntry& entry) { return entry.id; });
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
          sealer_.open(row->text("sealed"), contextOf(team_id, *name, version));
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
            sealer_.open(*previous, contextOf(team_id, *name, version - 1));
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
