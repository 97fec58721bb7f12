#include "registry/repositories/version_repository.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "events/outbox.h"
#include "json/escape.h"
#include "json/writer.h"
#include "registry/artifacts/json_members.h"
#include "registry/artifacts/manifest.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/artifact_event.h"
#include "registry/repositories/artifact_rows.h"
#include "registry/repositories/link_rows.h"
#include "storage/database/database.h"
#include "storage/database/placeholders.h"

namespace spindle::registry {
namespace {

using events::EventType;
using identity::IfVersion, identity::Page, identity::PageRequest;
using storage::Params, storage::Row, storage::Session;

constexpr std::size_t kEntriesPerInsert = 100;
constexpr int kMaxMissingFiles = 1000;
constexpr int kMaxExpiredPerPass = 500;
constexpr std::size_t kMaxMetadataMembers = 100;
constexpr std::chrono::hours kPendingTimeout{24};

/// Selects the files that the team has not uploaded.
constexpr SqlView kSelectMissing =
    "SELECT e.path, e.digest, e.size_bytes FROM artifact_entries e LEFT JOIN artifact_blobs b "
    "ON b.team_id = ? AND b.digest = e.digest AND b.size_bytes = e.size_bytes "
    "WHERE e.version_id = ? AND e.ref IS NULL AND b.digest IS NULL ORDER BY e.path ";
constexpr SqlView kSelectEntries =
    "SELECT e.path, e.digest, e.size_bytes, e.ref, e.extra, b.birth_id FROM artifact_entries e "
    "JOIN artifact_versions v ON v.id = e.version_id JOIN collections c ON c.id = v.collection_id "
    "JOIN published_projects p ON p.id = c.project_id "
    "LEFT JOIN artifact_blobs b ON b.team_id = p.team_id AND b.digest = e.digest "
    "AND b.size_bytes = e.size_bytes AND e.ref IS NULL ";

ManifestEntry entryAt(const Row& row) {
  return {.path = row.text("path"),
          .digest = row.text("digest"),
          .size = row.integer("size_bytes"),
          .ref = row.optionalText("ref"),
          .extra = row.optionalText("extra"),
          .birth_id = row.optionalInteger("birth_id")};
}

Result<void> insertEntries(Session& session,
                           std::int64_t version_id,
                           const std::vector<ManifestEntry>& entries) {
  for (std::size_t at = 0; at < entries.size();) {
    const std::size_t count = entries.size() - at >= kEntriesPerInsert ? kEntriesPerInsert : 1;
    Params params;
    params.reserve(count * 6);
    for (std::size_t i = 0; i < count; ++i) {
      const ManifestEntry& entry = entries[at + i];
      params.insert(params.end(),
                    {version_id, entry.path, entry.digest, entry.size, entry.ref, entry.extra});
    }
    TRY(session.execute(
        "INSERT INTO artifact_entries (version_id, path, digest, size_bytes, ref, extra) VALUES " +
            storage::placeholders(6, count),
        params));
    at += count;
  }
  return {};
}

Result<void> insertRequests(Session& session, std::int64_t version_id, const NewVersion& fresh) {
  std::int64_t position = 0;
  const auto insert = [&](std::string_view kind,
                          const std::vector<std::string>& names) -> Result<void> {
    for (const std::string& name : names) {
      TRY(session.execute(
          "INSERT INTO artifact_requests (version_id, position, kind, name) VALUES (?, ?, ?, ?)",
          {version_id, position++, kind, name}));
    }
    return {};
  };
  TRY(insert("alias", fresh.aliases));
  return insert("tag", fresh.tags);
}

Result<std::vector<std::string>> requested(Session& session,
                                           std::int64_t version_id,
                                           std::string_view kind) {
  return collectRows(
      session.query(
          "SELECT name FROM artifact_requests WHERE version_id = ? AND kind = ? ORDER BY position",
          {version_id, kind}),
      [](const Row& row) { return row.text("name"); });
}

Result<void> applyNames(Session& session,
                        const ArtifactChangeContext& change_context,
                        const Collection& collection,
                        const Version& version,
                        const std::vector<std::string>& aliases,
                        const std::vector<std::string>& tags,
                        Timestamp now) {
  for (const std::string& alias : aliases) {
    TRY(setAlias(session, change_context, collection, version, alias, now));
  }
  for (const std::string& tag : tags) {
    TRY(addTag(session, change_context, version, tag, now));
  }
  return {};
}

Result<Version> insertVersion(Session& session,
                              const ArtifactChangeContext& change_context,
                              const Collection& collection,
                              const NewVersion& fresh,
                              const std::string& digest,
                              Timestamp now) {
  std::int64_t bytes = 0;
  for (const ManifestEntry& entry : fresh.manifest) bytes += entry.size;
  const std::optional<Row> inserted = TRY(session.queryOne(
      "INSERT INTO artifact_versions (collection_id, state, digest, size_bytes, file_count, "
      "metadata, description, ttl_seconds, run_id, created_by, revision, created_at, updated_at) "
      "VALUES (?, 'PENDING', ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?) RETURNING id",
      {collection.id, digest, bytes, fresh.manifest.size(), fresh.metadata, fresh.description,
       fresh.ttl_seconds, fresh.run_id, change_context.actor.username, now, now}));
  const std::int64_t id = inserted->integer("id");
  TRY(insertEntries(session, id, fresh.manifest));
  TRY(insertRequests(session, id, fresh));
  return requireVersion(session, collection, {.index = {}, .id = id, .alias = {}});
}

Result<std::vector<ManifestEntry>> selectMissing(Session& session,
                                                 std::string_view team_id,
                                                 std::int64_t version_id,
                                                 SqlView tail = {}) {
  return collectRows(session.query(kSelectMissing + tail, {team_id, version_id}),
                     [](const Row& row) {
                       return ManifestEntry{.path = row.text("path"),
                                            .digest = row.text("digest"),
                                            .size = row.integer("size_bytes")};
                     });
}

/// Returns each file once, even if it has several paths.
std::vector<ManifestEntry> distinctFiles(std::vector<ManifestEntry> entries) {
  std::set<std::pair<std::string, std::int64_t>> seen;
  std::vector<ManifestEntry> distinct;
  for (ManifestEntry& entry : entries) {
    if (seen.emplace(entry.digest, entry.size).second) distinct.push_back(std::move(entry));
  }
  return distinct;
}

Error missingFiles(const std::vector<ManifestEntry>& missing) {
  std::string paths;
  json::Writer out(paths);
  out.beginArray();
  for (const ManifestEntry& entry : missing) out.string(entry.path);
  out.endArray();
  return Error::conflict("Files of the manifest have not been uploaded.")
      .because("missing_files")
      .with("missing_files", std::move(paths));
}

/// Removes a version for all users. Moves `latest` to the newest remaining version without an
/// event, because nothing was added.
Result<void> endVersion(Session& session, const Version& version, Timestamp now) {
  TRY(session.execute(
      "UPDATE artifact_versions SET state = 'PENDING_DELETION', revision = revision + 1, "
      "updated_at = ? WHERE id = ?",
      {now, version.id}));
  TRY(removeLinksOf(session, version.id));
  TRY(session.execute("DELETE FROM artifact_aliases WHERE version_id = ?", {version.id}));
  const auto latest = std::find(version.aliases.begin(), version.aliases.end(), kLatest);
  if (latest == version.aliases.end()) return {};
  TRY(session.execute(
      "INSERT INTO artifact_aliases (collection_id, alias, version_id) "
      "SELECT collection_id, CAST(? AS TEXT), id FROM artifact_versions WHERE collection_id = ? "
      "AND state = 'COMMITTED' ORDER BY version_index DESC LIMIT 1",
      {kLatest, version.collection_id}));
  return {};
}

Error linkedCollectionError() {
  return Error::conflict("This collection contains links; create versions in another collection.")
      .because("linked_collection");
}

/// Checks that the time to live can be changed: not through a link, and not for a version with a
/// link in a registry.
Result<void> requireTtlChangeAllowed(Session& session,
                                     const Version& version,
                                     std::int64_t ttl_seconds) {
  if (version.source) {
    return Error::conflict("Set the time to live on the source version.").because("ttl_on_link");
  }
  if (ttl_seconds == kNoTtl) return {};
  const std::optional<Row> link = TRY(session.queryOne(
      "SELECT m.id FROM artifact_memberships m JOIN collections c ON c.id = m.collection_id "
      "WHERE m.version_id = ? AND c.registry_id IS NOT NULL LIMIT 1",
      {version.id}));
  if (!link.has_value()) return {};
  return Error::conflict("A version with a link in a registry cannot expire.")
      .because("ttl_on_link");
}

/// Returns the end of the range of texts that begin with `prefix`.
std::string endOfPrefix(std::string_view prefix) { return std::string(prefix) + "\U0010FFFF"; }

}  // namespace

Result<VersionRepository::BeginResult> VersionRepository::begin(const Place& place,
                                                                const Actor& actor,
                                                                const NewVersion& fresh) {
  if (isReservedCollection(fresh.type, fresh.collection)) {
    return Error::invalidArgument("this type and name are reserved for the platform")
        .because("reserved_name");
  }
  const std::string digest = manifestDigest(fresh.manifest);
  return outbox_.write([&](Session& session) -> Result<BeginResult> {
    const Timestamp now = clock_.now();
    const ArtifactChangeContext change_context{outbox_, place, actor};
    std::optional<Collection> known =
        TRY(findCollection(session, place.project_id, fresh.collection));
    if (known.has_value() && known->kind == CollectionKind::kLinked) return linkedCollectionError();
    if (known.has_value() && known->type != fresh.type) {
      return Error::conflict("This collection holds artifacts of type " + known->type + ".")
          .because("type_clash");
    }
    Collection collection =
        TRY(known.has_value()
                ? Result<Collection>(*std::move(known))
                : insertCollection(
                      session, change_context,
                      {.name = fresh.collection, .type = fresh.type, .description = {}, .tags = {}},
                      now));
    const std::vector<Version> same =
        TRY(selectVersions(session, CollectionKind::kSource,
                           "WHERE v.collection_id = ? AND v.digest = ? AND v.state = 'COMMITTED' "
                           "ORDER BY v.version_index DESC LIMIT 1",
                           {collection.id, digest}));
    if (!same.empty()) {
      TRY(applyNames(session, change_context, collection, same.front(), fresh.aliases, fresh.tags,
                     now));
      Version version = TRY(
          requireVersion(session, collection, {.index = {}, .id = same.front().id, .alias = {}}));
      return BeginResult{std::move(version), true, {}};
    }
    Version version = TRY(insertVersion(session, change_context, collection, fresh, digest, now));
    std::vector<ManifestEntry> missing = TRY(selectMissing(session, place.team_id, version.id));
    return BeginResult{std::move(version), false, distinctFiles(std::move(missing))};
  });
}

Result<std::vector<ManifestEntry>> VersionRepository::missing(
    const Place& place,
    std::string_view collection,
    std::int64_t id,
    const std::vector<std::string>& paths) {
  return database_.read([&](Session& session) -> Result<std::vector<ManifestEntry>> {
    const Collection found = TRY(requireCollection(session, place.project_id, collection));
    const Version version =
        TRY(requireVersion(session, found, {.index = {}, .id = id, .alias = {}}));
    if (version.state != VersionState::kPending) {
      return Error::conflict("This version has been committed.").because("not_pending");
    }
    for (const std::string& path : paths) {
      const std::optional<Row> row = TRY(session.queryOne(
          "SELECT path FROM artifact_entries WHERE version_id = ? AND path = ?", {id, path}));
      if (!row.has_value()) {
        return Error::invalidArgument("the manifest has no entry " + json::quoted(path));
      }
    }
    std::vector<ManifestEntry> all = TRY(selectMissing(session, place.team_id, id));
    const std::set<std::string> wanted(paths.begin(), paths.end());
    std::vector<ManifestEntry> chosen;
    for (ManifestEntry& entry : all) {
      if (wanted.contains(entry.path)) chosen.push_back(std::move(entry));
    }
    return distinctFiles(std::move(chosen));
  });
}

Result<Version> VersionRepository::commit(const Place& place,
                                          const Actor& actor,
                                          std::string_view collection,
                                          std::int64_t id) {
  const VersionName by_id{.index = {}, .id = id, .alias = {}};
  return outbox_.write([&](Session& session) -> Result<Version> {
    const Timestamp now = clock_.now();
    const ArtifactChangeContext change_context{outbox_, place, actor};
    const Collection found = TRY(requireCollection(session, place.project_id, collection));
    Result<Version> version = requireVersion(session, found, by_id);
    if (!version || version->state == VersionState::kCommitted) return version;
    const std::vector<ManifestEntry> missing = TRY(
        selectMissing(session, place.team_id, id, "LIMIT " + SqlText::number(kMaxMissingFiles)));
    if (!missing.empty()) return missingFiles(missing);
    const std::optional<Row> number = TRY(session.queryOne(
        "UPDATE collections SET next_index = next_index + 1 WHERE id = ? RETURNING next_index",
        {found.id}));
    version->index = number->integer("next_index") - 1;
    version->state = VersionState::kCommitted;
    TRY(session.execute(
        "UPDATE artifact_versions SET state = 'COMMITTED', version_index = ?, committed_at = ?, "
        "revision = revision + 1, updated_at = ? WHERE id = ?",
        {version->index, now, now, id}));
    std::vector<std::string> aliases = TRY(requested(session, id, "alias"));
    if (std::find(aliases.begin(), aliases.end(), kLatest) == aliases.end()) {
      aliases.emplace_back(kLatest);
    }
    const std::vector<std::string> tags = TRY(requested(session, id, "tag"));
    TRY(raise(session, change_context,
              {.type = EventType::kCreateArtifact,
               .collection = &found,
               .version = &*version,
               .aliases = aliases}));
    TRY(applyNames(session, change_context, found, *version, aliases, tags, now));
    TRY(session.execute("DELETE FROM artifact_requests WHERE version_id = ?", {id}));
    return requireVersion(session, found, by_id);
  });
}

Result<Version> VersionRepository::find(std::string_view place_id,
                                        std::string_view collection,
                                        const VersionName& name) {
  return database_.read([&](Session& session) -> Result<Version> {
    const Collection found = TRY(requireCollection(session, place_id, collection));
    return requireVersion(session, found, name);
  });
}

Result<Page<Version>> VersionRepository::list(std::string_view place_id,
                                              std::string_view collection,
                                              const VersionFilter& filter,
                                              const PageRequest& page) {
  std::int64_t before = INT64_MAX;
  if (!page.after.empty()) {
    std::from_chars(page.after.data(), page.after.data() + page.after.size(), before);
  }
  return database_.read([&](Session& session) -> Result<Page<Version>> {
    const Collection found = TRY(requireCollection(session, place_id, collection));
    const VersionColumns columns = columnsOf(found.kind);
    SqlText where = "WHERE " + SqlText(columns.collection) + " = ? AND v.state = 'COMMITTED' AND " +
                    columns.number + " < ?";
    Params params = {found.id, before};
    if (filter.tag) {
      where +=
          " AND EXISTS (SELECT 1 FROM artifact_tags g WHERE g.version_id = v.id AND g.tag = ?)";
      params.emplace_back(*filter.tag);
    }
    if (filter.alias) {
      where +=
          " AND EXISTS (SELECT 1 FROM artifact_aliases a WHERE a.collection_id = c.id "
          "AND a.version_id = v.id AND a.alias = ?)";
      params.emplace_back(*filter.alias);
    }
    params.emplace_back(page.limit + 1);
    where += " ORDER BY " + SqlText(columns.number) + " DESC LIMIT ?";
    std::vector<Version> versions = TRY(selectVersions(session, found.kind, where, params));
    return identity::pageOf(std::move(versions), page.limit, [](const Version& version) {
      return std::to_string(version.index.value_or(0));
    });
  });
}

Result<Version> VersionRepository::update(std::string_view place_id,
                                          std::string_view collection,
                                          const VersionName& name,
                                          const VersionChange& change,
                                          IfVersion if_version) {
  return database_.write([&](Session& session) -> Result<Version> {
    const Collection found = TRY(requireCollection(session, place_id, collection));
    Version version = TRY(requireVersion(session, found, name));
    TRY(identity::checkVersion(if_version, version.revision));
    if (change.metadata) version.metadata = *change.metadata;
    if (change.metadata_merge) {
      version.metadata = mergedMembers(version.metadata, *change.metadata_merge);
      if (memberCount(version.metadata) > kMaxMetadataMembers) {
        return Error::invalidArgument("metadata has at most 100 members");
      }
    }
    if (change.description) version.description = *change.description;
    if (change.ttl_seconds) {
      if (hasNoTtl(version.type)) {
        return Error::invalidArgument("artifacts of this type cannot have a time to live");
      }
      TRY(requireTtlChangeAllowed(session, version, *change.ttl_seconds));
      version.ttl_seconds = *change.ttl_seconds;
    }
    TRY(session.execute(
        "UPDATE artifact_versions SET metadata = ?, description = ?, ttl_seconds = ? WHERE id = ?",
        {version.metadata, version.description, version.ttl_seconds, version.id}));
    TRY(touchVersion(session, version.id, clock_.now()));
    return requireVersion(session, found, {.index = {}, .id = version.id, .alias = {}});
  });
}

Result<void> VersionRepository::remove(std::string_view place_id,
                                       std::string_view collection,
                                       const VersionName& name,
                                       bool delete_aliases,
                                       IfVersion if_version) {
  return database_.write([&](Session& session) -> Result<void> {
    const Collection found = TRY(requireCollection(session, place_id, collection));
    const Version version = TRY(requireVersion(session, found, name));
    TRY(identity::checkVersion(if_version, version.revision));
    if (found.kind == CollectionKind::kLinked) return linkedCollectionError();
    if (TRY(hasProtectedAlias(session, "a.version_id = ?", {version.id})))
      return protectedAliasConflict();
    const std::optional<Row> alias = TRY(session.queryOne(
        "SELECT alias FROM artifact_aliases WHERE version_id = ? LIMIT 1", {version.id}));
    if (alias.has_value() && !delete_aliases) {
      return Error::conflict(
                 "This version or one of its links has aliases; use delete_aliases to remove them "
                 "too.")
          .because("has_aliases");
    }
    const Timestamp now = clock_.now();
    TRY(recordCollectionChange(session, "version.delete", found, &version, now));
    return endVersion(session, version, now);
  });
}

Result<std::vector<VersionLocation>> VersionRepository::locate(std::int64_t id) {
  return database_.read([&](Session& session) -> Result<std::vector<VersionLocation>> {
    const std::optional<Row> committed = TRY(session.queryOne(
        "SELECT id FROM artifact_versions WHERE id = ? AND state = 'COMMITTED'", {id}));
    if (!committed.has_value()) return Error::notFound("Artifact not found");
    const std::vector<VersionOccurrence> showings = TRY(occurrencesOf(session, id));
    std::vector<VersionLocation> places;
    places.reserve(showings.size());
    for (const VersionOccurrence& showing : showings) {
      places.push_back({showing.place, showing.collection.name});
    }
    return places;
  });
}

Result<std::vector<ManifestEntry>> VersionRepository::entries(std::int64_t id,
                                                              std::string_view prefix,
                                                              std::string_view after,
                                                              int limit) {
  return database_.read([&](Session& session) {
    return collectRows(
        session.query(SqlText(kSelectEntries) +
                          "WHERE e.version_id = ? AND e.path >= ? AND e.path < ? AND e.path > ? "
                          "ORDER BY e.path LIMIT ?",
                      {id, prefix, endOfPrefix(prefix), after, limit}),
        entryAt);
  });
}

Result<ManifestEntry> VersionRepository::entry(std::int64_t id, std::string_view path) {
  return database_.read([&](Session& session) -> Result<ManifestEntry> {
    const std::optional<Row> row = TRY(session.queryOne(
        SqlText(kSelectEntries) + "WHERE e.version_id = ? AND e.path = ?", {id, path}));
    if (!row.has_value()) return Error::notFound("File not found");
    return entryAt(*row);
  });
}

Result<std::int64_t> VersionRepository::expire() {
  return database_.write([&](Session& session) -> Result<std::int64_t> {
    const Timestamp now = clock_.now();
    const std::vector<Version> over = TRY(selectVersions(
        session, CollectionKind::kSource,
        "WHERE (v.state = 'PENDING' AND v.created_at <= ?) OR (v.state = 'COMMITTED' "
        "AND c.type NOT IN ('run_table', 'code', 'job') AND substr(c.type, 1, 4) <> 'svc-' "
        "AND v.created_at + CASE WHEN v.ttl_seconds > 0 THEN v.ttl_seconds "
        "WHEN v.ttl_seconds = -1 AND t.default_artifact_ttl_days < 36525 "
        "THEN t.default_artifact_ttl_days * 86400 ELSE 3155760000 END * 1000000 <= ? "
        "AND (v.ttl_seconds > 0 OR (v.ttl_seconds = -1 "
        "AND t.default_artifact_ttl_days IS NOT NULL))) ORDER BY v.id LIMIT ?",
        {now - kPendingTimeout, now, kMaxExpiredPerPass}));
    for (const Version& version : over) {
      TRY(endVersion(session, version, now));
    }
    return static_cast<std::int64_t>(over.size());
  });
}

}  // namespace spindle::registry
