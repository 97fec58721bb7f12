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

Result<std::optional<Collection>> findCollection(storage::Session& session,
                                                 std::string_view project_id,
                                                 std::string_view name);
/// @return kNotFound.
Result<Collection> requireCollection(storage::Session& session,
                                     std::string_view project_id,
                                     std::string_view name);
/// With its tags. The name must be free. Raises an event for each tag.
Result<Collection> insertCollection(storage::Session& session,
                                    const Deed& deed,
                                    const NewCollection& fresh,
                                    Timestamp now);
/// The collections that a query ends in (`WHERE …`), with their tags.
Result<std::vector<Collection>> selectCollections(storage::Session& session,
                                                  std::string_view tail,
                                                  const storage::Params& params);
Result<void> touchCollection(storage::Session& session, std::string_view id, Timestamp now);

/// The versions that a query ends in (`WHERE …` over `v`, and `c` for collections), with their
/// aliases and tags.
Result<std::vector<Version>> selectVersions(storage::Session& session,
                                            std::string_view tail,
                                            const storage::Params& params);
/// A version of a collection: committed, or pending when it is named by its id.
/// @return kNotFound.
Result<Version> requireVersion(storage::Session& session,
                               std::string_view collection_id,
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
/// The same for a tag.
Result<bool> addTag(storage::Session& session,
                    const Deed& deed,
                    const Collection& collection,
                    const Version& version,
                    const std::string& tag,
                    Timestamp now);

}  // namespace spindle::registry
