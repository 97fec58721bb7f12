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
  Collection found = TRY(requireCollection(session, place.id(), collection));
  Version version = TRY(requireVersion(session, found, name));
  if (version.state != VersionState::kCommitted) {
    return Error::conflict("This version has not been committed.").because("not_committed");
  }
  return Found{std::move(found), std::move(version)};
}

}  // namespace

Result<void> VersionLabelRepository::putAlias(const Place& place,
                                              const Actor& actor,
                                              std::string_view collection,
                                              const VersionName& name,
                                              const std::string& alias) {
  return outbox_.write([&](Session& session) -> Result<void> {
    const Found found = TRY(findCommitted(session, place, collection, name));
    TRY(requireAliasPermission(session, place, actor, alias));
    TRY(setAlias(session, {outbox_, place, actor}, found.collection, found.version, alias,
                 clock_.now()));
    return {};
  });
}

Result<void> VersionLabelRepository::removeAlias(const Place& place,
                                                 const Actor& actor,
                                                 std::string_view collection,
                                                 const VersionName& name,
                                                 const std::string& alias) {
  return outbox_.write([&](Session& session) -> Result<void> {
    const Found found = TRY(findCommitted(session, place, collection, name));
    TRY(requireAliasPermission(session, place, actor, alias));
    const std::int64_t removed = TRY(session.execute(
        "DELETE FROM artifact_aliases WHERE collection_id = ? AND alias = ? AND version_id = ?",
        {found.collection.id, alias, found.version.id}));
    if (removed == 0) return Error::notFound("Alias not found");
    return touchVersion(session, found.version.id, clock_.now());
  });
}

Result<void> VersionLabelRepository::putTag(const Place& place,
                                            const Actor& actor,
                                            std::string_view collection,
                                            const VersionName& name,
                                            const std::string& tag) {
  return outbox_.write([&](Session& session) -> Result<void> {
    const Found found = TRY(findCommitted(session, place, collection, name));
    TRY(addTag(session, {outbox_, place, actor}, found.version, tag, clock_.now()));
    return {};
  });
}

Result<void> VersionLabelRepository::removeTag(const Place& place,
                                               const Actor& actor,
                                               std::string_view collection,
                                               const VersionName& name,
                                               const std::string& tag) {
  return outbox_.write([&](Session& session) -> Result<void> {
    const Found found = TRY(findCommitted(session, place, collection, name));
    const std::int64_t removed = TRY(session.execute(
        "DELETE FROM artifact_tags WHERE version_id = ? AND tag = ?", {found.version.id, tag}));
    if (removed == 0) return Error::notFound("Tag not found");
    const Timestamp now = clock_.now();
    TRY(touchVersion(session, found.version.id, now));
    return raiseInAllCollections(session, {outbox_, place, actor}, EventType::kRemoveArtifactTag,
                                 found.version, tag, now);
  });
}

}  // namespace spindle::registry
