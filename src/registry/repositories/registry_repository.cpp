#include "registry/repositories/registry_repository.h"

#include <utility>

#include "base/crypto/id.h"
#include "identity/audit/audit_trail.h"
#include "identity/types/names.h"
#include "storage/database/columns.h"
#include "storage/database/database.h"
#include "storage/database/placeholders.h"

namespace spindle::registry {
namespace {

using identity::IfVersion, identity::Page, identity::PageRequest, identity::RegistryRole;
using storage::Params, storage::Row, storage::Rows, storage::Session;

constexpr SqlView kSelectMembers =
    "SELECT m.member_id, m.team_id, coalesce(u.username, t.name) AS name, m.role, m.created_at "
    "FROM registry_members m LEFT JOIN published_users u ON u.id = m.user_id "
    "LEFT JOIN published_teams t ON t.id = m.team_id ";

Error notThere() { return Error::notFound("Registry not found"); }
Error registryNameTaken() {
  return Error::conflict("This registry name is taken.").because("registry_name_taken");
}

const storage::Columns<Registry>& registryColumns() {
  static const storage::Columns<Registry> columns{
      {"id", &Registry::id},
      {"name", &Registry::name},
      {"visibility", &Registry::visibility, visibilityOf, textOf},
      {"description", &Registry::description},
      {"all_types", &Registry::all_types},
      {"creator_id", &Registry::creator_id},
      {"created_by", &Registry::created_by},
      {"revision", &Registry::revision},
      {"created_at", &Registry::created_at},
      {"updated_at", &Registry::updated_at}};
  return columns;
}

RegistryMember memberAt(const Row& row) {
  RegistryMember member;
  member.kind = row.isNull("team_id") ? RegistryMember::Kind::kUser : RegistryMember::Kind::kTeam;
  member.id = row.text("member_id");
  member.name = row.text("name");
  member.role = registryRoleOf(row.text("role"));
  member.created_at = row.time("created_at");
  return member;
}

Result<std::vector<Registry>> select(Session& session, SqlView tail, const Params& params) {
  const Rows rows = TRY(session.query(
      "SELECT " + registryColumns().list("g") + " FROM registries g " + tail, params));
  std::vector<Registry> registries = registryColumns().readAll(rows);
  for (Registry& registry : registries) {
    if (registry.all_types) continue;
    std::vector<std::string> types = TRY(collectRows(
        session.query("SELECT type FROM registry_types WHERE registry_id = ? ORDER BY type",
                      {registry.id}),
        [](const Row& row) { return row.text("type"); }));
    registry.types = std::move(types);
  }
  return registries;
}

Result<Registry> require(Session& session, std::string_view id) {
  std::vector<Registry> found =
      TRY(select(session, "WHERE g.id = ? AND g.deleted_at IS NULL", {id}));
  if (found.empty()) return notThere();
  return std::move(found.front());
}

Result<bool> isTaken(Session& session, std::string_view name) {
  const std::optional<Row> found = TRY(
      session.queryOne("SELECT id FROM registries WHERE name = ? AND deleted_at IS NULL", {name}));
  return found.has_value();
}

Result<void> addTypes(Session& session,
                      std::string_view registry_id,
                      const std::vector<std::string>& types) {
  for (const std::string& type : types) {
    TRY(session.execute(
        "INSERT INTO registry_types (registry_id, type) VALUES (?, ?) ON CONFLICT DO NOTHING",
        {registry_id, type}));
  }
  return {};
}

/// Restricts the registry to listed types, and lists the types in use.
Result<void> closeTypes(Session& session, std::string_view registry_id) {
  TRY(session.execute("UPDATE registries SET all_types = 0 WHERE id = ?", {registry_id}));
  TRY(session.execute(
      "INSERT INTO registry_types (registry_id, type) SELECT DISTINCT registry_id, type "
      "FROM collections WHERE registry_id = ? AND deleted_at IS NULL ON CONFLICT DO NOTHING",
      {registry_id}));
  return {};
}

/// A user or team that can get a role, with its default role.
struct Grantee {
  std::string id;
  RegistryRole usual = RegistryRole::kRestrictedViewer;
};

Result<Grantee> granteeOf(Session& session, RegistryMember::Kind kind, std::string_view name) {
  if (kind == RegistryMember::Kind::kTeam) {
    const std::optional<Row> team =
        TRY(session.queryOne("SELECT id FROM published_teams WHERE name = ?", {name}));
    if (!team.has_value()) return Error::notFound("Team not found");
    return Grantee{team->text("id")};
  }
  const std::optional<Row> user = TRY(session.queryOne(
      "SELECT id, kind, organization_admin FROM published_users WHERE username_key = ?",
      {identity::foldCase(name)}));
  if (!user.has_value()) return Error::notFound("User not found");
  Grantee grantee{user->text("id")};
  if (user->text("kind") == "service") grantee.usual = RegistryRole::kMember;
  if (user->boolean("organization_admin")) grantee.usual = RegistryRole::kAdmin;
  return grantee;
}

Result<void> grant(Session& session,
                   std::string_view registry_id,
                   RegistryMember::Kind kind,
                   std::string_view member_id,
                   RegistryRole role,
                   Timestamp now) {
  const std::string id(member_id);
  const bool is_team = kind == RegistryMember::Kind::kTeam;
  const std::optional<std::string> user_id = is_team ? std::nullopt : std::optional(id);
  const std::optional<std::string> team_id = is_team ? std::optional(id) : std::nullopt;
  TRY(session.execute(
      "INSERT INTO registry_members (registry_id, member_id, user_id, team_id, role, created_at) "
      "VALUES (?, ?, ?, ?, ?, ?) "
      "ON CONFLICT (registry_id, member_id) DO UPDATE SET role = excluded.role",
      {registry_id, id, user_id, team_id, textOf(role), now}));
  return {};
}

/// Checks that a restricted registry still has an admin: without one, nobody could manage it.
Result<void> requireAdminLeft(Session& session, const Registry& registry) {
  if (registry.visibility == RegistryVisibility::kOrganization) return {};
  const std::optional<Row> admin = TRY(session.queryOne(
      "SELECT member_id FROM registry_members WHERE registry_id = ? AND role = 'ADMIN' LIMIT 1",
      {registry.id}));
  if (admin.has_value()) return {};
  return Error::conflict("This is the last admin of the registry.").because("last_admin");
}

/// Records a change of a registry. Registries belong to no team.
Result<void> recordRegistryChange(
    Session& session,
    std::string_view action,
    const Registry& registry,
    Timestamp now,
    std::vector<std::pair<std::string_view, std::string>> details = {}) {
  return identity::recordChange(session,
                                {.action = action,
                                 .target_id = registry.id,
                                 .target_name = registry.name,
                                 .details = std::move(details)},
                                now);
}

}  // namespace

Result<Registry> RegistryRepository::insert(const Actor& creator, const NewRegistry& fresh) {
  return database_.write([&](Session& session) -> Result<Registry> {
    if (TRY(isTaken(session, fresh.name))) return registryNameTaken();
    const Timestamp now = clock_.now();
    Registry registry;
    registry.id = newPrefixedId("reg_", now);
    registry.name = fresh.name;
    registry.visibility = fresh.visibility;
    registry.description = fresh.description;
    registry.all_types = fresh.types.empty();
    registry.creator_id = creator.user_id;
    registry.created_by = creator.username;
    registry.created_at = registry.updated_at = now;
    TRY(session.execute(registryColumns().insertInto("registries"),
                        registryColumns().valuesOf(registry)));
    TRY(addTypes(session, registry.id, fresh.types));
    TRY(grant(session, registry.id, RegistryMember::Kind::kUser, creator.user_id,
              RegistryRole::kAdmin, now));
    TRY(recordRegistryChange(session, "registry.create", registry, now));
    return require(session, registry.id);
  });
}

Result<RegistryAccessRecord> RegistryRepository::find(std::string_view user_id,
                                                      std::string_view name) {
  if (!storage::unstorableReason(name).empty()) return notThere();
  return database_.read([&](Session& session) -> Result<RegistryAccessRecord> {
    const std::optional<Row> user = TRY(session.queryOne(
        "SELECT kind, organization_admin FROM published_users WHERE id = ?", {user_id}));
    if (!user.has_value()) return Error::unauthenticated();
    std::vector<Registry> found =
        TRY(select(session, "WHERE g.name = ? AND g.deleted_at IS NULL", {name}));
    if (found.empty()) return notThere();
    RegistryAccessRecord record;
    record.registry = std::move(found.front());
    record.standing.organization_admin = user->boolean("organization_admin");
    record.standing.service_account = user->text("kind") == "service";
    record.standing.restricted = record.registry.visibility == RegistryVisibility::kRestricted;
    const Rows grants =
        TRY(session.query("SELECT m.role, m.team_id, s.role AS team_role FROM registry_members m "
                          "LEFT JOIN published_memberships s ON s.team_id = m.team_id "
                          "AND s.user_id = ? AND s.pending = 0 WHERE m.registry_id = ? "
                          "AND (m.user_id = ? OR s.user_id IS NOT NULL)",
                          {user_id, record.registry.id, user_id}));
    for (const Row& row : grants) {
      const RegistryRole role = registryRoleOf(row.text("role"));
      if (row.isNull("team_id")) {
        record.standing.direct = role;
        continue;
      }
      record.standing.through_teams.push_back(role);
      const bool admin = identity::teamRoleOf(row.text("team_role")) == identity::TeamRole::kAdmin;
      if (admin && role == RegistryRole::kAdmin) record.administers_admin_team = true;
    }
    return record;
  });
}

Result<Page<Registry>> RegistryRepository::list(std::string_view user_id, const PageRequest& page) {
  return database_.read([&](Session& session) -> Result<Page<Registry>> {
    std::vector<Registry> found = TRY(select(
        session,
        "WHERE g.deleted_at IS NULL AND (g.visibility = 'organization' OR EXISTS (SELECT 1 "
        "FROM registry_members m WHERE m.registry_id = g.id AND (m.user_id = ? OR EXISTS (SELECT 1 "
        "FROM published_memberships s WHERE s.team_id = m.team_id AND s.user_id = ? "
        "AND s.pending = 0)))) AND g.id < ? ORDER BY g.id DESC LIMIT ?",
        {user_id, user_id, page.below(), page.limit + 1}));
    return identity::pageOf(std::move(found), page);
  });
}

Result<bool> RegistryRepository::mayCreate(std::string_view user_id) {
  return database_.read([&](Session& session) -> Result<bool> {
    const std::optional<Row> found = TRY(session.queryOne(
        "SELECT u.id FROM published_users u WHERE u.id = ? AND (u.organization_admin = 1 "
        "OR u.scope = 'organization' OR EXISTS (SELECT 1 FROM published_memberships s "
        "WHERE s.user_id = u.id AND s.pending = 0 AND s.role <> 'VIEWER') OR EXISTS (SELECT 1 "
        "FROM registry_members m LEFT JOIN published_memberships s ON s.team_id = m.team_id "
        "AND s.user_id = u.id AND s.pending = 0 WHERE m.role IN ('ADMIN', 'MEMBER') "
        "AND (m.user_id = u.id OR s.user_id IS NOT NULL)))",
        {user_id}));
    return found.has_value();
  });
}

Result<Registry> RegistryRepository::update(std::string_view registry_id,
                                            const Actor& actor,
                                            const RegistryChange& change,
                                            IfVersion if_version) {
  return database_.write([&](Session& session) -> Result<Registry> {
    Registry registry = TRY(require(session, registry_id));
    TRY(identity::checkVersion(if_version, registry.revision));
    if (change.name && *change.name != registry.name) {
      if (TRY(isTaken(session, *change.name))) return registryNameTaken();
      registry.name = *change.name;
    }
    if (change.description) registry.description = *change.description;
    const Timestamp now = clock_.now();
    if (change.visibility) registry.visibility = *change.visibility;
    if (change.visibility == RegistryVisibility::kRestricted) {
      TRY(grant(session, registry_id, RegistryMember::Kind::kUser, actor.user_id,
                RegistryRole::kAdmin, now));
    }
    if (registry.all_types && !change.add_types.empty()) {
      TRY(closeTypes(session, registry_id));
    }
    TRY(addTypes(session, registry_id, change.add_types));
    TRY(session.execute(
        "UPDATE registries SET name = ?, description = ?, visibility = ?, revision = revision + 1, "
        "updated_at = ? WHERE id = ?",
        {registry.name, registry.description, textOf(registry.visibility), now, registry_id}));
    TRY(recordRegistryChange(session, "registry.update", registry, now));
    return require(session, registry_id);
  });
}

Result<void> RegistryRepository::remove(std::string_view registry_id, IfVersion if_version) {
  return database_.write([&](Session& session) -> Result<void> {
    const Registry registry = TRY(require(session, registry_id));
    TRY(identity::checkVersion(if_version, registry.revision));
    for (const SqlName table : {SqlName("artifact_aliases"), SqlName("artifact_memberships")}) {
      TRY(session.execute("DELETE FROM " + SqlText(table) +
                              " WHERE collection_id IN (SELECT id FROM collections "
                              "WHERE registry_id = ?)",
                          {registry_id}));
    }
    const Timestamp now = clock_.now();
    TRY(session.execute(
        "UPDATE collections SET deleted_at = ? WHERE registry_id = ? AND deleted_at IS NULL",
        {now, registry_id}));
    TRY(session.execute("UPDATE registries SET deleted_at = ? WHERE id = ?", {now, registry_id}));
    return recordRegistryChange(session, "registry.delete", registry, now);
  });
}

Result<Page<RegistryMember>> RegistryRepository::members(std::string_view registry_id,
                                                         const PageRequest& page) {
  return database_.read([&](Session& session) -> Result<Page<RegistryMember>> {
    std::vector<RegistryMember> found = TRY(collectRows(
        session.query(
            SqlText(kSelectMembers) +
                "WHERE m.registry_id = ? AND m.member_id < ? ORDER BY m.member_id DESC LIMIT ?",
            {registry_id, page.below(), page.limit + 1}),
        memberAt));
    return identity::pageOf(std::move(found), page);
  });
}

Result<RegistryMember> RegistryRepository::putMember(std::string_view registry_id,
                                                     RegistryMember::Kind kind,
                                                     std::string_view name,
                                                     std::optional<RegistryRole> role) {
  return database_.write([&](Session& session) -> Result<RegistryMember> {
    const Registry registry = TRY(require(session, registry_id));
    const Grantee grantee = TRY(granteeOf(session, kind, name));
    TRY(grant(session, registry_id, kind, grantee.id, role.value_or(grantee.usual), clock_.now()));
    TRY(requireAdminLeft(session, registry));
    TRY(recordRegistryChange(session, "registry_member.update", registry, clock_.now(),
                             {{"member", std::string(name)},
                              {"role", std::string(textOf(role.value_or(grantee.usual)))}}));
    const std::optional<Row> row = TRY(
        session.queryOne(SqlText(kSelectMembers) + "WHERE m.registry_id = ? AND m.member_id = ?",
                         {registry_id, grantee.id}));
    return memberAt(*row);
  });
}

Result<void> RegistryRepository::removeMember(std::string_view registry_id,
                                              RegistryMember::Kind kind,
                                              std::string_view name) {
  return database_.write([&](Session& session) -> Result<void> {
    const Registry registry = TRY(require(session, registry_id));
    const Grantee grantee = TRY(granteeOf(session, kind, name));
    const std::int64_t removed =
        TRY(session.execute("DELETE FROM registry_members WHERE registry_id = ? AND member_id = ?",
                            {registry_id, grantee.id}));
    if (removed == 0) return Error::notFound("Member not found");
    TRY(recordRegistryChange(session, "registry_member.remove", registry, clock_.now(),
                             {{"member", std::string(name)}}));
    return requireAdminLeft(session, registry);
  });
}

Result<std::vector<std::string>> RegistryRepository::protectedAliases(
    std::string_view registry_id) {
  return database_.read([&](Session& session) {
    return collectRows(
        session.query(
            "SELECT alias FROM registry_protected_aliases WHERE registry_id = ? ORDER BY alias",
            {registry_id}),
        [](const Row& row) { return row.text("alias"); });
  });
}

Result<void> RegistryRepository::protect(std::string_view registry_id, std::string_view alias) {
  return database_.write([&](Session& session) -> Result<void> {
    TRY(
        session.execute("INSERT INTO registry_protected_aliases (registry_id, alias) VALUES (?, ?) "
                        "ON CONFLICT DO NOTHING",
                        {registry_id, alias}));
    const Registry registry = TRY(require(session, registry_id));
    return recordRegistryChange(session, "registry_alias.protect", registry, clock_.now(),
                                {{"alias", std::string(alias)}});
  });
}

Result<void> RegistryRepository::unprotect(std::string_view registry_id, std::string_view alias) {
  return database_.write([&](Session& session) -> Result<void> {
    const std::int64_t removed = TRY(session.execute(
        "DELETE FROM registry_protected_aliases WHERE registry_id = ? AND alias = ?",
        {registry_id, alias}));
    if (removed == 0) return Error::notFound("Alias not found");
    const Registry registry = TRY(require(session, registry_id));
    return recordRegistryChange(session, "registry_alias.unprotect", registry, clock_.now(),
                                {{"alias", std::string(alias)}});
  });
}

}  // namespace spindle::registry
