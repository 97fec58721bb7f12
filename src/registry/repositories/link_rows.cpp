#include "registry/repositories/link_rows.h"

#include <optional>
#include <utility>

#include "base/crypto/id.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/artifact_event.h"
#include "registry/repositories/artifact_rows.h"

namespace spindle::registry {
namespace {

using storage::Row, storage::Rows, storage::Session;

Place placeAt(const Row& row) {
  Place place;
  if (const std::optional<std::string> registry = row.optionalText("registry")) {
    return registryPlace(row.text("place_id"), *registry);
  }
  place.team_id = row.text("team_id");
  place.project_id = row.text("place_id");
  place.entity = row.text("entity");
  place.project = row.text("project");
  return place;
}

VersionOccurrence occurrenceAt(const Row& row) {
  VersionOccurrence showing;
  showing.collection.id = row.text("id");
  showing.collection.place_id = row.text("place_id");
  showing.collection.name = row.text("name");
  showing.collection.type = row.text("type");
  showing.place = placeAt(row);
  showing.index = row.optionalInteger("version_index").value_or(0);
  return showing;
}

}  // namespace

Result<std::vector<VersionOccurrence>> occurrencesOf(Session& session, std::int64_t version_id) {
  return collectRows(
      session.query(
          "SELECT c.id, c.place_id, c.name, c.type, c.kind, x.version_index, t.id AS team_id, "
          "t.name AS entity, p.name AS project, g.name AS registry "
          "FROM (SELECT collection_id, version_index FROM artifact_versions WHERE id = ? "
          "UNION ALL SELECT collection_id, version_index FROM artifact_memberships "
          "WHERE version_id = ?) x JOIN collections c ON c.id = x.collection_id "
          "LEFT JOIN published_projects p ON p.id = c.project_id "
          "LEFT JOIN published_teams t ON t.id = p.team_id "
          "LEFT JOIN registries g ON g.id = c.registry_id WHERE c.deleted_at IS NULL "
          "ORDER BY c.kind DESC, c.id",
          {version_id, version_id}),
      occurrenceAt);
}

Result<void> raiseInAllCollections(Session& session,
                                   const ArtifactChangeContext& change_context,
                                   events::EventType type,
                                   const Version& version,
                                   std::string_view tag,
                                   Timestamp now) {
  const std::vector<VersionOccurrence> showings = TRY(occurrencesOf(session, version.id));
  const std::string change_id = newPrefixedId("chg_", now);
  Version shown = version;
  for (const VersionOccurrence& showing : showings) {
    shown.index = showing.index;
    TRY(raise(session, {change_context.outbox, showing.place, change_context.actor},
              {.type = type,
               .collection = &showing.collection,
               .version = &shown,
               .tag = tag,
               .change_id = change_id}));
  }
  return {};
}

Result<void> removeLink(Session& session, std::string_view collection_id, std::int64_t version_id) {
  const std::int64_t had_latest = TRY(session.execute(
      "DELETE FROM artifact_aliases WHERE collection_id = ? AND version_id = ? AND alias = ?",
      {collection_id, version_id, kLatest}));
  TRY(session.execute("DELETE FROM artifact_aliases WHERE collection_id = ? AND version_id = ?",
                      {collection_id, version_id}));
  TRY(session.execute("DELETE FROM artifact_memberships WHERE collection_id = ? AND version_id = ?",
                      {collection_id, version_id}));
  if (had_latest == 0) return {};
  TRY(
      session.execute("INSERT INTO artifact_aliases (collection_id, alias, version_id) "
                      "SELECT collection_id, CAST(? AS TEXT), version_id FROM artifact_memberships "
                      "WHERE collection_id = ? ORDER BY version_index DESC LIMIT 1",
                      {kLatest, collection_id}));
  return {};
}

Result<void> removeLinksOf(Session& session, std::int64_t version_id) {
  const Rows links = TRY(session.query(
      "SELECT collection_id FROM artifact_memberships WHERE version_id = ?", {version_id}));
  for (const Row& link : links) {
    TRY(removeLink(session, link.text("collection_id"), version_id));
  }
  return {};
}

Result<void> requireAliasPermission(Session& session,
                                    const Place& place,
                                    const Actor& actor,
                                    std::string_view alias) {
  if (place.registry_id.empty() || actor.may_manage_protected_aliases) return {};
  const std::optional<Row> found = TRY(session.queryOne(
      "SELECT alias FROM registry_protected_aliases WHERE registry_id = ? AND alias = ?",
      {place.registry_id, alias}));
  if (!found.has_value()) return {};
  return Error::denied("This alias is protected: only registry admins can set or remove it.")
      .because("protected_alias");
}

Result<bool> hasProtectedAlias(Session& session, SqlView condition, const storage::Params& params) {
  const std::optional<Row> found = TRY(session.queryOne(
      "SELECT a.alias FROM artifact_aliases a JOIN collections c ON c.id = a.collection_id "
      "JOIN registry_protected_aliases g ON g.registry_id = c.registry_id AND g.alias = a.alias "
      "JOIN artifact_versions v ON v.id = a.version_id WHERE c.deleted_at IS NULL AND " +
          SqlText(condition) + " LIMIT 1",
      params));
  return found.has_value();
}

Result<void> requireAcceptedType(Session& session,
                                 std::string_view registry_id,
                                 std::string_view type) {
  if (registry_id.empty()) return {};
  const std::optional<Row> accepted = TRY(session.queryOne(
      "SELECT id FROM registries g WHERE g.id = ? AND (g.all_types = 1 OR EXISTS (SELECT 1 "
      "FROM registry_types a WHERE a.registry_id = g.id AND a.type = ?))",
      {registry_id, type}));
  if (accepted.has_value()) return {};
  return Error::invalidArgument("this registry does not accept artifacts of type " +
                                std::string(type))
      .because("type_not_accepted");
}

Error protectedAliasConflict() {
  return Error::conflict("A link in a registry has a protected alias.").because("protected_alias");
}

}  // namespace spindle::registry
