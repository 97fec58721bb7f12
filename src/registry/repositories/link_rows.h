#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "events/event.h"
#include "registry/artifacts/artifact.h"
#include "storage/database/session.h"

// Internal helpers of the repositories of this area for links, inside an open transaction.
namespace spindle::registry {

struct ArtifactChangeContext;

/// One occurrence of a version: its source collection, or a collection with a link to it.
struct VersionOccurrence {
  Collection collection;
  Place place;
  std::int64_t index = 0;  ///< number of the version in this collection
};
/// Returns all occurrences of a version, the source collection first.
Result<std::vector<VersionOccurrence>> occurrencesOf(storage::Session& session,
                                                     std::int64_t version_id);

/// Raises the event of a tag change once per occurrence of the version, with the same change id.
Result<void> raiseInAllCollections(storage::Session& session,
                                   const ArtifactChangeContext& change_context,
                                   events::EventType type,
                                   const Version& version,
                                   std::string_view tag,
                                   Timestamp now);

/// Removes a link and its aliases. Moves `latest` to the newest remaining link without an event,
/// because nothing was added.
Result<void> removeLink(storage::Session& session,
                        std::string_view collection_id,
                        std::int64_t version_id);
/// Like removeLink(), for all links of a version.
Result<void> removeLinksOf(storage::Session& session, std::int64_t version_id);

/// Returns true if a link that matches `condition` has a protected alias of its registry. The
/// condition is over `a` (aliases), `c` (collections) and `v` (versions).
Result<bool> hasProtectedAlias(storage::Session& session,
                               SqlView condition,
                               const storage::Params& params);
/// Checks that the actor may set and remove the alias. @return kPermissionDenied
/// `protected_alias`.
Result<void> requireAliasPermission(storage::Session& session,
                                    const Place& place,
                                    const Actor& actor,
                                    std::string_view alias);
/// Checks that the registry accepts the type. An empty `registry_id` accepts all types.
/// @return kInvalidArgument `type_not_accepted`.
Result<void> requireAcceptedType(storage::Session& session,
                                 std::string_view registry_id,
                                 std::string_view type);
/// Returns the error for the removal of something with a protected alias.
Error protectedAliasConflict();

}  // namespace spindle::registry
