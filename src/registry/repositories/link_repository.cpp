#include "registry/repositories/link_repository.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/crypto/id.h"
#include "events/outbox.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/artifact_event.h"
#include "registry/repositories/artifact_rows.h"
#include "registry/repositories/link_rows.h"

namespace spindle::registry {
namespace {

using events::EventType;
using storage::Row, storage::Session;

Error notLinked() {
  return Error::conflict("This collection contains versions; links need a separate collection.")
      .because("source_collection");
}

Result<Version> committedVersion(Session& session, std::int64_t id) {
  std::vector<Version> found = TRY(selectVersions(
      session, CollectionKind::kSource, "WHERE v.id = ? AND v.state = 'COMMITTED'", {id}));
  if (found.empty()) return Error::notFound("Artifact not found");
  return std::move(found.front());
}

/// Refuses a personal team: a team with the name of its only member.
Result<void> refusePersonalTeam(Session& session, std::string_view team_id) {
  const std::optional<Row> personal = TRY(session.queryOne(
      "SELECT t.id FROM published_teams t JOIN published_memberships m ON m.team_id = t.id "
      "JOIN published_users u ON u.id = m.user_id WHERE t.id = ? AND u.username_key = t.name "
      "AND NOT EXISTS (SELECT 1 FROM published_memberships o WHERE o.team_id = t.id "
      "AND o.user_id <> u.id)",
      {team_id}));
  if (!personal.has_value()) return {};
  return Error::invalidArgument(
             "artifacts of a personal entity cannot be linked into a registry: log them in a "
             "team")
      .because("personal_entity");
}

/// Returns the collection for a link; creates it if it is missing.
Result<Collection> findOrInsertCollection(Session& session,
                                          const ArtifactChangeContext& change_context,
                                          std::string_view name,
                                          const Version& version,
                                          Timestamp now) {
  std::optional<Collection> known = TRY(findCollection(session, change_context.place.id(), name));
  if (!known.has_value()) {
    TRY(requireAcceptedType(session, change_context.place.registry_id, version.type));
    return insertCollection(session, change_context,
                            {.name = std::string(name),
                             .type = version.type,
                             .description = {},
                             .tags = {},
                             .kind = CollectionKind::kLinked},
                            now);
  }
  if (known->kind != CollectionKind::kLinked) return notLinked();
  if (known->type != version.type) {
    return Error::conflict("This collection holds artifacts of type " + known->type + ".")
        .because("type_clash");
  }
  return *std::move(known);
}

/// Returns the id of the link of a version, or an empty text.
Result<std::string> membershipOf(Session& session,
                                 std::string_view collection_id,
                                 std::int64_t version_id) {
  const std::optional<Row> row = TRY(session.queryOne(
      "SELECT id FROM artifact_memberships WHERE collection_id = ? AND version_id = ?",
      {collection_id, version_id}));
  return row.has_value() ? row->text("id") : std::string();
}

/// Inserts a link and sets the number of `version` in the collection. Returns the id of the link.
Result<std::string> insertMembership(Session& session,
                                     const ArtifactChangeContext& change_context,
                                     const Collection& collection,
                                     Version& version,
                                     Timestamp now) {
  const std::optional<Row> number = TRY(session.queryOne(
      "UPDATE collections SET next_index = next_index + 1 WHERE id = ? RETURNING next_index",
      {collection.id}));
  version.index = number->integer("next_index") - 1;
  std::string id = newPrefixedId("mem_", now);
  TRY(session.execute(
      "INSERT INTO artifact_memberships (id, collection_id, version_id, version_index, created_by, "
      "created_at) VALUES (?, ?, ?, ?, ?, ?)",
      {id, collection.id, version.id, version.index, change_context.actor.username, now}));
  if (!change_context.place.registry_id.empty()) {
    TRY(session.execute("UPDATE artifact_versions SET ttl_seconds = ? WHERE id = ?",
                        {kNoTtl, version.id}));
  }
  TRY(touchVersion(session, version.id, now));
  return id;
}

}  // namespace

Result<Membership> LinkRepository::link(const Place& place,
                                        const Actor& actor,
                                        std::string_view collection,
                                        std::int64_t version_id,
                                        const std::vector<std::string>& aliases) {
  return outbox_.write([&](Session& session) -> Result<Membership> {
    const Timestamp now = clock_.now();
    const ArtifactChangeContext change_context{outbox_, place, actor};
    Result<Version> version = committedVersion(session, version_id);
    if (!version) return std::move(version).error();
    if (!place.registry_id.empty()) {
      TRY(refusePersonalTeam(session, version->team_id));
    }
    const Collection into =
        TRY(findOrInsertCollection(session, change_context, collection, *version, now));
    Result<std::string> id = membershipOf(session, into.id, version_id);
    if (!id) return std::move(id).error();
    const bool created = id->empty();
    std::vector<std::string> names = aliases;
    if (created) {
      id = insertMembership(session, change_context, into, *version, now);
      if (!id) return std::move(id).error();
      if (std::find(names.begin(), names.end(), kLatest) == names.end()) {
        names.emplace_back(kLatest);
      }
      TRY(raise(session, change_context,
                {.type = EventType::kLinkArtifact,
                 .collection = &into,
                 .version = &*version,
                 .aliases = names}));
    } else {
      version = requireVersion(session, into, {.index = {}, .id = version_id, .alias = {}});
      if (!version) return std::move(version).error();
    }
    for (const std::string& alias : names) {
      TRY(requireAliasPermission(session, place, actor, alias));
      TRY(setAlias(session, change_context, into, *version, alias, now));
    }
    version = requireVersion(session, into, {.index = {}, .id = version_id, .alias = {}});
    if (!version) return std::move(version).error();
    return Membership{*std::move(id), *std::move(version), created};
  });
}

Result<void> LinkRepository::unlink(const Place& place,
                                    const Actor& actor,
                                    std::string_view collection,
                                    const VersionName& name,
                                    identity::IfVersion if_version) {
  return outbox_.write([&](Session& session) -> Result<void> {
    const Collection from = TRY(requireCollection(session, place.id(), collection));
    if (from.kind != CollectionKind::kLinked) return notLinked();
    const Version version = TRY(requireVersion(session, from, name));
    TRY(identity::checkVersion(if_version, version.revision));
    for (const std::string& alias : version.aliases) {
      TRY(requireAliasPermission(session, place, actor, alias));
    }
    TRY(removeLink(session, from.id, version.id));
    TRY(touchVersion(session, version.id, clock_.now()));
    TRY(recordCollectionChange(session, "link.delete", from, &version, clock_.now()));
    return raise(session, {outbox_, place, actor},
                 {.type = EventType::kUnlinkArtifact, .collection = &from, .version = &version});
  });
}

}  // namespace spindle::registry
