#include "registry/repositories/version_label_repository.h"

#include <utility>

#include "events/outbox.h"
#include "registry/repositories/artifact_event.h"
#include "registry/repositories/artifact_rows.h"
#include "registry/repositories/link_rows.h"
#include "storage/database/database.h"

namespace spindle::registry {
namespace {

using events::EventType;
using storage::Session;

/// A version with its collection.
struct Found {
  Collection collection;
  Version version;
};

Result<Found> findCommitted(Session& session,
                            const Place& place,
                            std::string_view collection,
                            const VersionName& name) {
  Result<Collection> found = requireCollection(session, place.id(), collection);
  if (!found) return std::move(found).error();
  Result<Version> version = requireVersion(session, *found, name);
  if (!version) return std::move(version).error();
  if (version->state != VersionState::kCommitted) {
    return Error::conflict("This version has not been committed.").because("not_committed");
  }
  return Found{*std::move(found), *std::move(version)};
}

}  // namespace

Result<void> VersionLabelRepository::putAlias(const Place& place,
                                              const Actor& actor,
                                              std::string_view collection,
                                              const VersionName& name,
                                              const std::string& alias) {
  return outbox_.write([&](Session& session) -> Result<void> {
    const Result<Found> found = findCommitted(session, place, collection, name);
    if (!found) return found.error();
    Result<void> allowed = requireAliasPermission(session, place, actor, alias);
    if (!allowed) return allowed;
    Result<bool> moved = setAlias(session, {outbox_, place, actor}, found->collection,
                                  found->version, alias, clock_.now());
    if (!moved) return std::move(moved).error();
    return {};
  });
}

Result<void> VersionLabelRepository::removeAlias(const Place& place,
                                                 const Actor& actor,
                                                 std::string_view collection,
                                                 const VersionName& name,
                                                 const std::string& alias) {
  return outbox_.write([&](Session& session) -> Result<void> {
    const Result<Found> found = findCommitted(session, place, collection, name);
    if (!found) return found.error();
    Result<void> allowed = requireAliasPermission(session, place, actor, alias);
    if (!allowed) return allowed;
    const Result<std::int64_t> removed = session.execute(
        "DELETE FROM artifact_aliases WHERE collection_id = ? AND alias = ? AND version_id = ?",
        {found->collection.id, alias, found->version.id});
    if (!removed) return removed.error();
    if (*removed == 0) return Error::notFound("Alias not found");
    return touchVersion(session, found->version.id, clock_.now());
  });
}

Result<void> VersionLabelRepository::putTag(const Place& place,
                                            const Actor& actor,
                                            std::string_view collection,
                                            const VersionName& name,
                                            const std::string& tag) {
  return outbox_.write([&](Session& session) -> Result<void> {
    const Result<Found> found = findCommitted(session, place, collection, name);
    if (!found) return found.error();
    Result<bool> added =
        addTag(session, {outbox_, place, actor}, found->version, tag, clock_.now());
    if (!added) return std::move(added).error();
    return {};
  });
}

Result<void> VersionLabelRepository::removeTag(const Place& place,
                                               const Actor& actor,
                                               std::string_view collection,
                                               const VersionName& name,
                                               const std::string& tag) {
  return outbox_.write([&](Session& session) -> Result<void> {
    const Result<Found> found = findCommitted(session, place, collection, name);
    if (!found) return found.error();
    const Result<std::int64_t> removed = session.execute(
        "DELETE FROM artifact_tags WHERE version_id = ? AND tag = ?", {found->version.id, tag});
    if (!removed) return removed.error();
    if (*removed == 0) return Error::notFound("Tag not found");
    const Timestamp now = clock_.now();
    Result<void> touched = touchVersion(session, found->version.id, now);
    if (!touched) return touched;
    return raiseInAllCollections(session, {outbox_, place, actor}, EventType::kRemoveArtifactTag,
                                 found->version, tag, now);
  });
}

}  // namespace spindle::registry
