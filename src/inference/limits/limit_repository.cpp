#include "inference/limits/limit_repository.h"

#include <utility>

#include "identity/audit/audit_trail.h"
#include "inference/catalogue/versioned_rows_repository.h"
#include "storage/database/columns.h"
#include "storage/database/database.h"

namespace spindle::inference {
namespace {

using identity::IfVersion, identity::Page, identity::PageRequest;
using storage::Row, storage::Rows, storage::Session;

constexpr std::string_view kLimits = "limits";

/// Selects the limits that a user sees: those of projects, of the user's own keys, and of the keys
/// of service accounts in teams that the user administers.
constexpr SqlView kSeen =
    "AND (EXISTS (SELECT 1 FROM published_memberships m WHERE m.team_id = p.team_id "
    "AND m.user_id = ? AND m.pending = 0 AND (m.role = 'ADMIN' OR p.visibility <> 'RESTRICTED' "
    "OR EXISTS (SELECT 1 FROM published_project_roles r WHERE r.project_id = p.id "
    "AND r.user_id = m.user_id))) OR k.owner_id = ? OR EXISTS (SELECT 1 "
    "FROM published_memberships n WHERE n.team_id = u.team_id AND n.user_id = ? AND n.pending = 0 "
    "AND n.role = 'ADMIN')) ";

const storage::Columns<UsageLimit>& usageLimitColumns() {
  using L = UsageLimit;
  using Column = storage::Columns<L>::Column;
  static const auto columns = versionedColumns<L>(
      Column("concurrency", &L::concurrency),
      Column("requests_per_minute", &L::requests_per_minute),
      Column("tokens_per_minute", &L::tokens_per_minute), Column("budget_usd", &L::budget_usd),
      Column("period", &L::period, storedValue<kBudgetPeriods, BudgetPeriod::kMonth>, textOf));
  return columns;
}

/// Returns the SELECT of rows for entryAt(), without conditions.
SqlText selectLimits() {
  return "SELECT " + usageLimitColumns().list("l") +
         ", l.project_id, l.key_id, t.name AS team, p.name AS project, k.name AS key_name, "
         "k.owner_id, u.username AS owner, u.team_id AS owner_team_id FROM inference_limits l "
         "LEFT JOIN published_projects p ON p.id = l.project_id "
         "LEFT JOIN published_teams t ON t.id = p.team_id "
         "LEFT JOIN published_api_keys k ON k.key_id = l.key_id "
         "LEFT JOIN published_users u ON u.id = k.owner_id ";
}

UsageLimit limitAt(const Row& row) {
  UsageLimit limit = usageLimitColumns().read(row);
  limit.scope = row.isNull("project_id") ? LimitScope::kKey : LimitScope::kProject;
  limit.subject_id = row.text(limit.scope == LimitScope::kKey ? "key_id" : "project_id");
  return limit;
}

LimitEntry entryAt(const Row& row) {
  LimitEntry entry;
  entry.limit = limitAt(row);
  entry.team = row.optionalText("team").value_or("");
  entry.project = row.optionalText("project").value_or("");
  entry.key_name = row.optionalText("key_name").value_or("");
  entry.owner_id = row.optionalText("owner_id").value_or("");
  entry.owner = row.optionalText("owner").value_or("");
  entry.owner_team_id = row.optionalText("owner_team_id");
  return entry;
}

Result<LimitEntry> findIn(Session& session, std::string_view id) {
  const std::optional<Row> row = TRY(session.queryOne(selectLimits() + "WHERE l.id = ?", {id}));
  if (!row.has_value()) return Error::notFound("Limit not found");
  return entryAt(*row);
}

void apply(const LimitChange& change, UsageLimit& limit) {
  if (change.concurrency) limit.concurrency = *change.concurrency;
  if (change.requests_per_minute) limit.requests_per_minute = *change.requests_per_minute;
  if (change.tokens_per_minute) limit.tokens_per_minute = *change.tokens_per_minute;
  if (change.budget_usd) limit.budget_usd = *change.budget_usd;
  if (change.period) limit.period = *change.period;
}

Result<void> recordLimitChange(Session& session,
                               std::string_view action,
                               const UsageLimit& limit,
                               Timestamp now) {
  const bool of_key = limit.scope == LimitScope::kKey;
  identity::AuditChange change{.action = action, .target_id = limit.id};
  if (of_key) {
    change.details = {{"key_id", limit.subject_id}};
  } else {
    change.project_id = limit.subject_id;
  }
  return identity::recordChange(session, change, now);
}

}  // namespace

std::string_view textOf(BudgetPeriod period) { return lookUp(kBudgetPeriods, period, ""); }

Result<LimitEntry> LimitRepository::insert(UsageLimit limit) {
  markNew(limit, "lim_", clock_.now());
  const bool of_key = limit.scope == LimitScope::kKey;
  const std::optional<std::string> subject = limit.subject_id;
  return database_.write([&](Session& session) -> Result<LimitEntry> {
    TRY(insertNew(
        session,
        usageLimitColumns().insertInto("inference_limits", {"project_id", "key_id"}) +
            " ON CONFLICT DO NOTHING",
        usageLimitColumns().valuesOf(
            limit, {of_key ? std::nullopt : subject, of_key ? subject : std::nullopt}),
        Error::conflict("A limit already exists. Change it instead.").because("limit_exists")));
    TRY(recordLimitChange(session, "limit.create", limit, limit.created_at));
    TRY(incrementRevision(session, kLimits));
    return findIn(session, limit.id);
  });
}

Result<LimitEntry> LimitRepository::find(std::string_view id) {
  return database_.read([&](Session& session) { return findIn(session, id); });
}

Result<Page<LimitEntry>> LimitRepository::list(const LimitFilter& filter, const PageRequest& page) {
  SqlText sql = selectLimits() + "WHERE l.id < ? ";
  storage::Params params = {page.below()};
  if (filter.project_id) {
    sql += "AND l.project_id = ? ";
    params.emplace_back(*filter.project_id);
  }
  if (filter.key_id) {
    sql += "AND l.key_id = ? ";
    params.emplace_back(*filter.key_id);
  }
  if (filter.seen_by) {
    sql += kSeen;
    for (int i = 0; i < 3; ++i) params.emplace_back(*filter.seen_by);
  }
  params.emplace_back(page.limit + 1);
  sql += "ORDER BY l.id DESC LIMIT ?";
  return database_.read([&](Session& session) -> Result<Page<LimitEntry>> {
    std::vector<LimitEntry> entries = TRY(collectRows(session.query(sql, params), entryAt));
    return identity::pageOf(std::move(entries), page.limit,
                            [](const LimitEntry& entry) { return entry.limit.id; });
  });
}

Result<LimitEntry> LimitRepository::update(std::string_view id,
                                           const LimitChange& change,
                                           IfVersion if_version) {
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<LimitEntry> {
    LimitEntry entry = TRY(findIn(session, id));
    UsageLimit& limit = entry.limit;
    TRY(identity::checkVersion(if_version, limit.version));
    apply(change, limit);
    TRY(session.execute(
        "UPDATE inference_limits SET concurrency = ?, requests_per_minute = ?, "
        "tokens_per_minute = ?, budget_usd = ?, period = ?, version = version + 1, updated_at = ? "
        "WHERE id = ?",
        {limit.concurrency, limit.requests_per_minute, limit.tokens_per_minute, limit.budget_usd,
         textOf(limit.period), now, id}));
    TRY(recordLimitChange(session, "limit.update", limit, now));
    TRY(incrementRevision(session, kLimits));
    return findIn(session, id);
  });
}

Result<void> LimitRepository::remove(std::string_view id, IfVersion if_version) {
  return database_.write([&](Session& session) -> Result<void> {
    const LimitEntry entry = TRY(findIn(session, id));
    TRY(identity::checkVersion(if_version, entry.limit.version));
    TRY(session.execute("DELETE FROM inference_limits WHERE id = ?", {id}));
    TRY(recordLimitChange(session, "limit.delete", entry.limit, clock_.now()));
    return incrementRevision(session, kLimits);
  });
}

Result<LimitEntry> LimitRepository::findKey(std::string_view key_id) {
  return database_.read([&](Session& session) -> Result<LimitEntry> {
    const std::optional<Row> row = TRY(session.queryOne(
        "SELECT k.key_id, k.name, k.owner_id, u.username, u.team_id FROM published_api_keys k "
        "JOIN published_users u ON u.id = k.owner_id WHERE k.key_id = ?",
        {key_id}));
    if (!row.has_value()) return Error::notFound("API key not found");
    LimitEntry entry;
    entry.limit.scope = LimitScope::kKey;
    entry.limit.subject_id = row->text("key_id");
    entry.key_name = row->text("name");
    entry.owner_id = row->text("owner_id");
    entry.owner = row->text("username");
    entry.owner_team_id = row->optionalText("team_id");
    return entry;
  });
}

Result<std::int64_t> LimitRepository::revision() {
  return database_.read([&](Session& session) { return readRevision(session, kLimits); });
}

Result<Limits> LimitRepository::load() {
  return readSnapshot<Limits>(
      database_, kLimits, [](Session& session, Limits& limits) -> Result<void> {
        const Rows rows = TRY(session.query(selectLimits()));
        for (const Row& row : rows) {
          UsageLimit limit = limitAt(row);
          auto& subjects = limit.scope == LimitScope::kKey ? limits.of_keys : limits.of_projects;
          std::string subject_id = limit.subject_id;
          subjects.emplace(std::move(subject_id), std::move(limit));
        }
        return {};
      });
}

}  // namespace spindle::inference
