#include "registry/repositories/version_label_repository.h"

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
  const Collection& collection;
  const Version& version;
};

/// Calls `change` with the committed version, in a transaction.
template <class Change>
Result<void> changeCommitted(events::Outbox& outbox, const LabelTarget& target, Change change) {
  return outbox.write([&](Session& session) -> Result<void> {
    const Collection collection =
        TRY(requireCollection(session, target.place.id(), target.collection));
    const Version version = TRY(requireVersion(session, collection, target.name));
    if (version.state != VersionState::kCommitted) {
      return Error::conflict("This version has not been committed.").because("not_committed");
    }
    return change(session, Found{collection, version});
  });
}

}  // namespace

Result<void> VersionLabelRepository::putAlias(const LabelTarget& target, const std::string& alias) {
  return changeCommitted(outbox_, target,
                         [&](Session& session, const Found& found) -> Result<void> {
                           TRY(requireAliasPermission(session, target.place, target.actor, alias));
                           TRY(setAlias(session, {outbox_, target.place, target.actor},
                                        found.collection, found.version, alias, clock_.now()));
                           return {};
                         });
}

Result<void> VersionLabelRepository::removeAlias(const LabelTarget& target,
                                                 const std::string& alias) {
  return changeCommitted(
      outbox_, target, [&](Session& session, const Found& found) -> Result<void> {
        TRY(requireAliasPermission(session, target.place, target.actor, alias));
        const std::int64_t removed = TRY(session.execute(
            "DELETE FROM artifact_aliases WHERE collection_id = ? AND alias = ? AND version_id = ?",
            {found.collection.id, alias, found.version.id}));
        if (removed == 0) return Error::notFound("Alias not found");
        return touchVersion(session, found.version.id, clock_.now());
      });
}

Result<void> VersionLabelRepository::putTag(const LabelTarget& target, const std::string& tag) {
  return changeCommitted(outbox_, target,
                         [&](Session& session, const Found& found) -> Result<void> {
                           TRY(addTag(session, {outbox_, target.place, target.actor}, found.version,
                                      tag, clock_.now()));
                           return {};
                         });
}

Result<void> VersionLabelRepository::removeTag(const LabelTarget& target, const std::string& tag) {
  return changeCommitted(
      outbox_, target, [&](Session& session, const Found& found) -> Result<void> {
        const std::int64_t removed = TRY(session.execute(
            "DELETE FROM artifact_tags WHERE version_id = ? AND tag = ?", {found.version.id, tag}));
        if (removed == 0) return Error::notFound("Tag not found");
        const Timestamp now = clock_.now();
        TRY(touchVersion(session, found.version.id, now));
        return raiseInAllCollections(session, {outbox_, target.place, target.actor},
                                     EventType::kRemoveArtifactTag, found.version, tag, now);
      });
}

}  // namespace spindle::registry
