#include "registry/repositories/collection_repository.h"

#include <optional>
#include <utility>

#include "events/outbox.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/artifact_event.h"
#include "registry/repositories/artifact_rows.h"
#include "registry/repositories/link_rows.h"
#include "storage/database/database.h"

namespace spindle::registry {
namespace {

using events::EventType;
using identity::IfVersion, identity::Page, identity::PageRequest;
using storage::Row, storage::Rows, storage::Session;

Error collectionNameTaken() {
  return Error::conflict("This collection name is taken.").because("collection_name_taken");
}

Error reserved() {
  return Error::invalidArgument("this type and name are reserved for the platform")
      .because("reserved_name");
}

/// Removes all links to the versions that match `condition` over `s`, their source collections.
Result<void> removeLinksTo(Session& session, SqlView condition, std::string_view id) {
  const Rows linked =
      TRY(session.query("SELECT DISTINCT m.version_id FROM artifact_memberships m "
                        "JOIN artifact_versions v ON v.id = m.version_id "
                        "JOIN collections s ON s.id = v.collection_id WHERE " +
                            SqlText(condition),
                        {id}));
  for (const Row& row : linked) {
    TRY(removeLinksOf(session, row.integer("version_id")));
  }
  return {};
}

/// Removes the links in the collection, and the links to its versions in other collections.
Result<void> removeAllLinks(Session& session, const Collection& collection) {
  TRY(session.execute("DELETE FROM artifact_memberships WHERE collection_id = ?", {collection.id}));
  return removeLinksTo(session, "s.id = ?", collection.id);
}

}  // namespace

Result<Collection> CollectionRepository::insert(const Place& place,
                                                const Actor& actor,
                                                const NewCollection& fresh) {
  if (isReservedCollection(fresh.type, fresh.name)) return reserved();
  return outbox_.write([&](Session& session) -> Result<Collection> {
    const std::optional<Collection> taken = TRY(findCollection(session, place.id(), fresh.name));
    if (taken.has_value()) return collectionNameTaken();
    TRY(requireAcceptedType(session, place.registry_id, fresh.type));
    return insertCollection(session, {outbox_, place, actor}, fresh, clock_.now());
  });
}

Result<Collection> CollectionRepository::find(std::string_view place_id, std::string_view name) {
  return database_.read(
      [&](Session& session) { return requireCollection(session, place_id, name); });
}

Result<Page<Collection>> CollectionRepository::list(std::string_view place_id,
                                                    const PageRequest& page) {
  return database_.read([&](Session& session) -> Result<Page<Collection>> {
    std::vector<Collection> found = TRY(selectCollections(
        session, "WHERE place_id = ? AND deleted_at IS NULL AND id < ? ORDER BY id DESC LIMIT ?",
        {place_id, page.below(), page.limit + 1}));
    return identity::pageOf(std::move(found), page);
  });
}

Result<Page<CollectionLocation>> CollectionRepository::listOfType(std::string_view type,
                                                                  const PageRequest& page) {
  return database_.read([&](Session& session) -> Result<Page<CollectionLocation>> {
    std::vector<CollectionLocation> found = TRY(collectRows(
        session.query(
            "SELECT c.id, c.name, p.id AS project_id, p.name AS project, t.id AS team_id, "
            "t.name AS entity FROM collections c JOIN published_projects p ON p.id = c.project_id "
            "JOIN published_teams t ON t.id = p.team_id WHERE c.type = ? AND c.kind = ? "
            "AND c.deleted_at IS NULL AND c.id < ? ORDER BY c.id DESC LIMIT ?",
            {type, textOf(CollectionKind::kSource), page.below(), page.limit + 1}),
        [](const Row& row) {
          return CollectionLocation{{row.text("team_id"), row.text("project_id"),
                                     row.text("entity"), row.text("project")},
                                    row.text("id"),
                                    row.text("name")};
        }));
    return identity::pageOf(std::move(found), page);
  });
}

Result<std::vector<std::string>> CollectionRepository::aliases(std::string_view place_id,
                                                               std::string_view name,
                                                               std::string_view prefix) {
  return database_.read([&](Session& session) -> Result<std::vector<std::string>> {
    const Collection collection = TRY(requireCollection(session, place_id, name));
    return collectRows(
        session.query("SELECT alias FROM artifact_aliases WHERE collection_id = ? AND alias >= ? "
                      "AND alias < ?",
                      {collection.id, prefix, std::string(prefix) + "\U0010FFFF"}),
        [](const Row& row) { return row.text("alias"); });
  });
}

Result<Collection> CollectionRepository::update(std::string_view place_id,
                                                std::string_view name,
                                                const CollectionChange& change,
                                                IfVersion if_version) {
  return database_.write([&](Session& session) -> Result<Collection> {
    Collection collection = TRY(requireCollection(session, place_id, name));
    TRY(identity::checkVersion(if_version, collection.revision));
    if (change.name && *change.name != collection.name) {
      if (isReservedCollection(collection.type, *change.name)) return reserved();
      const std::optional<Collection> taken = TRY(findCollection(session, place_id, *change.name));
      if (taken.has_value()) return collectionNameTaken();
      collection.name = *change.name;
    }
    if (change.description) collection.description = *change.description;
    TRY(session.execute("UPDATE collections SET name = ?, description = ? WHERE id = ?",
                        {collection.name, collection.description, collection.id}));
    TRY(touchCollection(session, collection.id, clock_.now()));
    return requireCollection(session, place_id, collection.name);
  });
}

Result<void> CollectionRepository::remove(std::string_view place_id,
                                          std::string_view name,
                                          IfVersion if_version) {
  return database_.write([&](Session& session) -> Result<void> {
    const Collection collection = TRY(requireCollection(session, place_id, name));
    TRY(identity::checkVersion(if_version, collection.revision));
    if (TRY(hasProtectedAlias(session, "(a.collection_id = ? OR v.collection_id = ?)",
                              {collection.id, collection.id})))
      return protectedAliasConflict();
    const Timestamp now = clock_.now();
    TRY(removeAllLinks(session, collection));
    TRY(
        session.execute("UPDATE artifact_versions SET state = 'PENDING_DELETION', updated_at = ? "
                        "WHERE collection_id = ? AND state IN ('PENDING', 'COMMITTED')",
                        {now, collection.id}));
    TRY(session.execute("DELETE FROM artifact_aliases WHERE collection_id = ?", {collection.id}));
    TRY(session.execute("UPDATE collections SET deleted_at = ? WHERE id = ?",
                        {now, collection.id}));
    return recordCollectionChange(session, "collection.delete", collection, nullptr, now);
  });
}

Result<void> CollectionRepository::release(SqlView condition, std::string_view id) {
  return database_.write([&](Session& session) -> Result<void> {
    if (TRY(hasProtectedAlias(
            session,
            "EXISTS (SELECT 1 FROM collections s WHERE s.id = v.collection_id AND " +
                SqlText(condition) + ")",
            {id})))
      return protectedAliasConflict();
    return removeLinksTo(session, condition, id);
  });
}

Result<void> CollectionRepository::unlinkVersionsOfProject(std::string_view project_id) {
  return release("s.project_id = ?", project_id);
}

Result<void> CollectionRepository::unlinkVersionsOfTeam(std::string_view team_id) {
  return release("s.project_id IN (SELECT id FROM published_projects WHERE team_id = ?)", team_id);
}

Result<void> CollectionRepository::changeTag(const TagChange& change,
                                             SqlView statement,
                                             events::EventType event,
                                             const Result<void>& if_unchanged) {
  return outbox_.write([&](Session& session) -> Result<void> {
    const Collection collection =
        TRY(requireCollection(session, change.place.id(), change.collection));
    const std::int64_t changed = TRY(session.execute(statement, {collection.id, change.tag}));
    if (changed == 0) return if_unchanged;
    TRY(touchCollection(session, collection.id, clock_.now()));
    return raise(session, {outbox_, change.place, change.actor},
                 {.type = event, .collection = &collection, .tag = change.tag});
  });
}

Result<void> CollectionRepository::putTag(const Place& place,
                                          const Actor& actor,
                                          std::string_view name,
                                          const std::string& tag) {
  return changeTag(
      {place, actor, name, tag},
      "INSERT INTO collection_tags (collection_id, tag) VALUES (?, ?) ON CONFLICT DO NOTHING",
      EventType::kAddCollectionTag, {});
}

Result<void> CollectionRepository::removeTag(const Place& place,
                                             const Actor& actor,
                                             std::string_view name,
                                             const std::string& tag) {
  return changeTag({place, actor, name, tag},
                   "DELETE FROM collection_tags WHERE collection_id = ? AND tag = ?",
                   EventType::kRemoveCollectionTag, Error::notFound("Tag not found"));
}

}  // namespace spindle::registry
