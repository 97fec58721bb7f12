#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "events/event.h"
#include "registry/artifact.h"
#include "storage/session.h"

// What the repositories of this area do alike to links, within a transaction in progress. Internal.
namespace spindle::registry {

struct Deed;

/// A collection that shows a version: its own, or one that has a link to it.
struct Showing {
  Collection collection;
  Place place;
  std::int64_t index = 0;  ///< the number of the version there
};
/// The source collection first.
Result<std::vector<Showing>> showingsOf(storage::Session& session, std::int64_t version_id);

/// Raises one change of a version's tags in every collection that shows the version.
Result<void> raiseEverywhere(storage::Session& session,
                             const Deed& deed,
                             events::EventType type,
                             const Version& version,
                             std::string_view tag,
                             Timestamp now);

/// Takes a link out of its collection, with its aliases there. `latest` goes to the newest link
/// that is left, without an event: nothing was added.
Result<void> removeLink(storage::Session& session,
                        std::string_view collection_id,
                        std::int64_t version_id);
/// The same for every link of a version.
Result<void> removeLinksOf(storage::Session& session, std::int64_t version_id);

/// Whether a link holds a protected alias of its registry: those that a condition picks, over
/// `a` (aliases), `c` (collections) and `v` (versions).
Result<bool> anyProtected(storage::Session& session,
                          SqlView condition,
                          const storage::Params& params);
/// @return kPermissionDenied `protected_alias` for an alias that this actor may not touch.
Result<void> requireAliasRight(storage::Session& session,
                               const Place& place,
                               const Actor& actor,
                               std::string_view alias);
/// @return kInvalidArgument `type_not_accepted`; anything goes outside registries.
Result<void> requireAcceptedType(storage::Session& session,
                                 std::string_view registry_id,
                                 std::string_view type);
/// What answers an attempt to take away something that others were promised.
Error heldByProtectedAlias();

}  // namespace spindle::registry
