#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "registry/artifact.h"
#include "storage/session.h"

// What the repositories of this area share: reading collections and versions, and giving them
// names, within a transaction in progress. Internal.
namespace spindle::registry {

struct Deed;

/// In a project or registry.
Result<std::optional<Collection>> findCollection(storage::Session& session,
                                                 std::string_view place_id,
                                                 std::string_view name);
/// @return kNotFound.
Result<Collection> requireCollection(storage::Session& session,
                                     std::string_view place_id,
                                     std::string_view name);
/// With its tags. The name must be free. Raises an event for each tag.
Result<Collection> insertCollection(storage::Session& session,
                                    const Deed& deed,
                                    const NewCollection& fresh,
                                    Timestamp now);
/// The collections that a query ends in (`WHERE …`), with their tags.
Result<std::vector<Collection>> selectCollections(storage::Session& session,
                                                  SqlView tail,
                                                  const storage::Params& params);
Result<void> touchCollection(storage::Session& session, std::string_view id, Timestamp now);

/// Where a query over a kind of collections finds the collection and the number of a version.
struct VersionColumns {
  SqlView collection;
  SqlView number;
};
VersionColumns columnsOf(CollectionKind kind);

/// The versions that a query ends in (`WHERE …` over `v`, `c` for collections and `m` for links),
/// with the aliases they have in these collections, and their tags.
Result<std::vector<Version>> selectVersions(storage::Session& session,
                                            CollectionKind kind,
                                            SqlView tail,
                                            const storage::Params& params);
/// A version of a collection: committed, or pending when it is named by its id.
/// @return kNotFound.
Result<Version> requireVersion(storage::Session& session,
                               const Collection& collection,
                               const VersionName& name);
Result<void> touchVersion(storage::Session& session, std::int64_t id, Timestamp now);

/// Moves an alias to a committed version. Raises an event when it was not there.
/// @return whether anything changed.
Result<bool> pointAlias(storage::Session& session,
                        const Deed& deed,
                        const Collection& collection,
                        const Version& version,
                        const std::string& alias,
                        Timestamp now);
/// Adds a tag. Raises an event for each collection that shows the version, when it was not there.
/// @return whether anything changed.
Result<bool> addTag(storage::Session& session,
                    const Deed& deed,
                    const Version& version,
                    const std::string& tag,
                    Timestamp now);

}  // namespace spindle::registry
