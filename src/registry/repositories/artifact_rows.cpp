#include "registry/repositories/artifact_rows.h"

#include <algorithm>
#include <utility>

#include "base/crypto/id.h"
#include "identity/audit/audit_trail.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/artifact_event.h"
#include "registry/repositories/link_rows.h"
#include "storage/database/columns.h"
#include "storage/database/placeholders.h"

namespace spindle::registry {
namespace {

using events::EventType;
using storage::Params, storage::Row, storage::Rows, storage::Session;

/// The columns of a version that are not in its own table.
constexpr SqlView kOwnerColumns =
    ", t.id AS team_id, c.id AS collection_id, c.name AS collection, c.type, "
    "t.default_artifact_ttl_days";
constexpr SqlView kFromSources =
    " FROM artifact_versions v JOIN collections c ON c.id = v.collection_id "
    "JOIN published_projects p ON p.id = c.project_id JOIN published_teams t ON t.id = p.team_id ";
constexpr SqlView kFromLinks =
    ", m.version_index AS link_index, s.id AS source_id, s.name AS source, "
    "p.name AS source_project, t.name AS source_entity FROM artifact_memberships m "
    "JOIN artifact_versions v ON v.id = m.version_id JOIN collections c ON c.id = m.collection_id "
    "JOIN collections s ON s.id = v.collection_id JOIN published_projects p ON p.id = s.project_id "
    "JOIN published_teams t ON t.id = p.team_id ";
constexpr std::int64_t kSecondsPerDay = 24L * 60 * 60;
/// Upper limit of the team's default: a century.
constexpr std::int64_t kMaxTtlDays = 36'525;

CollectionKind kindOf(std::string_view text) {
  return text == textOf(CollectionKind::kLinked) ? CollectionKind::kLinked
                                                 : CollectionKind::kSource;
}

const storage::Columns<Collection>& collectionColumns() {
  static const storage::Columns<Collection> columns{{"id", &Collection::id},
                                                    {"place_id", &Collection::place_id},
                                                    {"name", &Collection::name},
                                                    {"type", &Collection::type},
                                                    {"kind", &Collection::kind, kindOf, textOf},
                                                    {"description", &Collection::description},
                                                    {"created_by", &Collection::created_by},
                                                    {"revision", &Collection::revision},
                                                    {"created_at", &Collection::created_at},
                                                    {"updated_at", &Collection::updated_at}};
  return columns;
}

const storage::Columns<Version>& versionColumns() {
  static const storage::Columns<Version> columns{{"id", &Version::id},
                                                 {"state", &Version::state, versionStateOf, textOf},
                                                 {"version_index", &Version::index},
                                                 {"digest", &Version::digest},
                                                 {"size_bytes", &Version::size_bytes},
                                                 {"file_count", &Version::file_count},
                                                 {"metadata", &Version::metadata},
                                                 {"description", &Version::description},
                                                 {"ttl_seconds", &Version::ttl_seconds},
                                                 {"run_id", &Version::run_id},
                                                 {"created_by", &Version::created_by},
                                                 {"revision", &Version::revision},
                                                 {"created_at", &Version::created_at},
                                                 {"updated_at", &Version::updated_at},
                                                 {"committed_at", &Version::committed_at}};
  return columns;
}

std::optional<Timestamp> expiryOf(const Version& version, std::optional<std::int64_t> team_days) {
  if (version.ttl_seconds == kNoTtl || hasNoTtl(version.type)) return std::nullopt;
  if (version.ttl_seconds > 0)
    return version.created_at + std::chrono::seconds(version.ttl_seconds);
  if (!team_days) return std::nullopt;
  return version.created_at +
         std::chrono::seconds(std::min(*team_days, kMaxTtlDays) * kSecondsPerDay);
}

Version versionAt(const Row& row, CollectionKind kind) {
  Version version = versionColumns().read(row);
  version.team_id = row.text("team_id");
  version.collection_id = row.text("collection_id");
  version.collection = row.text("collection");
  version.type = row.text("type");
  version.expires_at = expiryOf(version, row.optionalInteger("default_artifact_ttl_days"));
  if (kind == CollectionKind::kLinked) {
    version.source = Source{row.text("source_entity"), row.text("source_project"),
                            row.text("source_id"), row.text("source"), version.index.value_or(0)};
    version.index = row.integer("link_index");
  }
  return version;
}

/// Queries rows of (owner id, name, …) for the given items, in the given order.
template <class T, class Id>
Result<Rows> namesOf(
    Session& session, SqlView select, SqlView order, const std::vector<T>& items, Id T::*id) {
  if (items.empty()) return Rows();
  Params ids;
  const std::size_t count = storage::paddedCount(items.size());
  for (std::size_t i = 0; i < count; ++i)
    ids.emplace_back(items[std::min(i, items.size() - 1)].*id);
  return session.query(select + storage::placeholders(count) + order, ids);
}

/// Loads the tags of the items from rows of (owner id, tag).
template <class T, class OwnerOf>
Result<void> loadTags(Session& session, SqlView select, std::vector<T>& items, OwnerOf owner_of) {
  const Rows rows = TRY(namesOf(session, select, " ORDER BY tag", items, &T::id));
  for (const Row& row : rows) {
    const auto owner = owner_of(row);
    for (T& item : items) {
      if (item.id == owner) item.tags.push_back(row.text(1));
    }
  }
  return {};
}

/// Loads the aliases that the versions have in their `collection_id`.
Result<void> loadAliases(Session& session, std::vector<Version>& versions) {
  const Rows rows = TRY(namesOf(
      session, "SELECT version_id, alias, collection_id FROM artifact_aliases WHERE version_id IN ",
      " ORDER BY alias", versions, &Version::id));
  for (const Row& row : rows) {
    for (Version& version : versions) {
      if (version.id == row.integer(0) && version.collection_id == row.text(2)) {
        version.aliases.push_back(row.text(1));
      }
    }
  }
  return {};
}

std::optional<std::string> idOrNull(const std::string& id) {
  return id.empty() ? std::nullopt : std::optional(id);
}

}  // namespace

Result<std::vector<Collection>> selectCollections(Session& session,
                                                  SqlView tail,
                                                  const Params& params) {
  const Rows rows = TRY(
      session.query("SELECT " + collectionColumns().list() + " FROM collections " + tail, params));
  std::vector<Collection> collections = collectionColumns().readAll(rows);
  TRY(loadTags(session, "SELECT collection_id, tag FROM collection_tags WHERE collection_id IN ",
               collections, [](const Row& row) { return row.text(0); }));
  return collections;
}

Result<std::optional<Collection>> findCollection(Session& session,
                                                 std::string_view place_id,
                                                 std::string_view name) {
  std::vector<Collection> found = TRY(selectCollections(
      session, "WHERE place_id = ? AND name = ? AND deleted_at IS NULL", {place_id, name}));
  if (found.empty()) return std::optional<Collection>();
  return std::optional(std::move(found.front()));
}

Result<Collection> requireCollection(Session& session,
                                     std::string_view place_id,
                                     std::string_view name) {
  std::optional<Collection> found = TRY(findCollection(session, place_id, name));
  if (!found.has_value()) return Error::notFound("Collection not found");
  return *std::move(found);
}

Result<Collection> insertCollection(Session& session,
                                    const ArtifactChangeContext& change_context,
                                    const NewCollection& fresh,
                                    Timestamp now) {
  Collection collection;
  collection.id = newPrefixedId("col_", now);
  collection.place_id = change_context.place.id();
  collection.name = fresh.name;
  collection.type = fresh.type;
  collection.kind = change_context.place.registry_id.empty() ? fresh.kind : CollectionKind::kLinked;
  collection.description = fresh.description;
  collection.created_by = change_context.actor.username;
  collection.created_at = now;
  collection.updated_at = now;
  const Place& place = change_context.place;
  TRY(session.execute(
      collectionColumns().insertInto("collections", {"project_id", "registry_id", "next_index"}),
      collectionColumns().valuesOf(collection,
                                   {idOrNull(place.project_id), idOrNull(place.registry_id), 0})));
  for (const std::string& tag : fresh.tags) {
    const std::int64_t added = TRY(session.execute(
        "INSERT INTO collection_tags (collection_id, tag) VALUES (?, ?) ON CONFLICT DO NOTHING",
        {collection.id, tag}));
    if (added == 0) continue;
    collection.tags.push_back(tag);
    TRY(raise(session, change_context,
              {.type = EventType::kAddCollectionTag, .collection = &collection, .tag = tag}));
  }
  std::sort(collection.tags.begin(), collection.tags.end());
  return collection;
}

Result<void> touchCollection(Session& session, std::string_view id, Timestamp now) {
  TRY(session.execute("UPDATE collections SET revision = revision + 1, updated_at = ? WHERE id = ?",
                      {now, id}));
  return {};
}

VersionColumns columnsOf(CollectionKind kind) {
  if (kind == CollectionKind::kLinked) return {"m.collection_id", "m.version_index"};
  return {"v.collection_id", "v.version_index"};
}

Result<std::vector<Version>> selectVersions(Session& session,
                                            CollectionKind kind,
                                            SqlView tail,
                                            const Params& params) {
  const SqlView from = kind == CollectionKind::kLinked ? kFromLinks : kFromSources;
  std::vector<Version> versions = TRY(collectRows(
      session.query("SELECT " + versionColumns().list("v") + kOwnerColumns + from + tail, params),
      [&](const Row& row) { return versionAt(row, kind); }));
  TRY(loadAliases(session, versions));
  TRY(loadTags(session, "SELECT version_id, tag FROM artifact_tags WHERE version_id IN ", versions,
               [](const Row& row) { return row.integer(0); }));
  return versions;
}

Result<Version> requireVersion(Session& session,
                               const Collection& collection,
                               const VersionName& name) {
  const VersionColumns columns = columnsOf(collection.kind);
  SqlText where = "WHERE " + SqlText(columns.collection) + " = ? AND ";
  Params params = {collection.id};
  if (name.id) {
    where += "v.id = ? AND v.state IN ('PENDING', 'COMMITTED')";
    params.emplace_back(*name.id);
  } else if (name.index) {
    where += columns.number + " = ? AND v.state = 'COMMITTED'";
    params.emplace_back(*name.index);
  } else {
    where +=
        "v.id = (SELECT a.version_id FROM artifact_aliases a WHERE a.collection_id = ? "
        "AND a.alias = ?)";
    params.emplace_back(collection.id);
    params.emplace_back(name.alias);
  }
  std::vector<Version> found = TRY(selectVersions(session, collection.kind, where, params));
  if (found.empty()) return Error::notFound("Version not found");
  return std::move(found.front());
}

Result<void> touchVersion(Session& session, std::int64_t id, Timestamp now) {
  TRY(session.execute(
      "UPDATE artifact_versions SET revision = revision + 1, updated_at = ? WHERE id = ?",
      {now, id}));
  return {};
}

Result<bool> setAlias(Session& session,
                      const ArtifactChangeContext& change_context,
                      const Collection& collection,
                      const Version& version,
                      const std::string& alias,
                      Timestamp now) {
  const std::optional<Row> holder = TRY(session.queryOne(
      "SELECT version_id FROM artifact_aliases WHERE collection_id = ? AND alias = ?",
      {collection.id, alias}));
  if (holder.has_value()) {
    const std::int64_t before = holder->integer("version_id");
    if (before == version.id) return false;
    TRY(touchVersion(session, before, now));
  }
  TRY(session.execute(
      "INSERT INTO artifact_aliases (collection_id, alias, version_id) VALUES (?, ?, ?) "
      "ON CONFLICT (collection_id, alias) DO UPDATE SET version_id = excluded.version_id",
      {collection.id, alias, version.id}));
  TRY(touchVersion(session, version.id, now));
  TRY(raise(session, change_context,
            {.type = EventType::kAddArtifactAlias,
             .collection = &collection,
             .version = &version,
             .alias = alias}));
  return true;
}

Result<bool> addTag(Session& session,
                    const ArtifactChangeContext& change_context,
                    const Version& version,
                    const std::string& tag,
                    Timestamp now) {
  const std::int64_t added = TRY(session.execute(
      "INSERT INTO artifact_tags (version_id, tag) VALUES (?, ?) ON CONFLICT DO NOTHING",
      {version.id, tag}));
  if (added == 0) return false;
  TRY(touchVersion(session, version.id, now));
  TRY(raiseInAllCollections(session, change_context, EventType::kAddArtifactTag, version, tag,
                            now));
  return true;
}

Result<void> recordCollectionChange(Session& session,
                                    std::string_view action,
                                    const Collection& collection,
                                    const Version* version,
                                    Timestamp now) {
  const std::string version_id =
      version != nullptr ? "art_" + std::to_string(version->id) : std::string();
  std::string name = collection.name;
  if (version != nullptr && version->index) name += ":v" + std::to_string(*version->index);
  const bool in_project = collection.place_id.starts_with("prj_");
  identity::AuditChange change{.action = action,
                               .target_id = version != nullptr ? version_id : collection.id,
                               .target_name = name};
  if (in_project) {
    change.project_id = collection.place_id;
  } else {
    change.details = {{"registry_id", collection.place_id}};
  }
  return identity::recordChange(session, change, now);
}

}  // namespace spindle::registry
