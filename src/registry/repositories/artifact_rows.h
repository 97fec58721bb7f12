#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "registry/artifacts/artifact.h"
#include "storage/database/session.h"

// Internal helpers of the repositories of this area: they read collections and versions, and set
// aliases and tags, inside an open transaction.
namespace spindle::registry {

struct ArtifactChangeContext;

/// Finds a collection of a project or registry by its name.
Result<std::optional<Collection>> findCollection(storage::Session& session,
                                                 std::string_view place_id,
                                                 std::string_view name);
/// Like findCollection(). @return kNotFound.
Result<Collection> requireCollection(storage::Session& session,
                                     std::string_view place_id,
                                     std::string_view name);
/// Inserts a collection with its tags. The name must be free. Raises one event per tag.
Result<Collection> insertCollection(storage::Session& session,
                                    const ArtifactChangeContext& change_context,
                                    const NewCollection& fresh,
                                    Timestamp now);
/// Returns the collections that match `tail`, the end of the SQL query (`WHERE …`), with their
/// tags.
Result<std::vector<Collection>> selectCollections(storage::Session& session,
                                                  SqlView tail,
                                                  const storage::Params& params);
Result<void> touchCollection(storage::Session& session, std::string_view id, Timestamp now);

/// Records a change of a collection, or of one of its versions, in the audit log. `version` may be
/// null.
Result<void> recordCollectionChange(storage::Session& session,
                                    std::string_view action,
                                    const Collection& collection,
                                    const Version* version,
                                    Timestamp now);

/// The SQL columns of the collection and the version number, by kind of collection.
struct VersionColumns {
  SqlView collection;
  SqlView number;
};
VersionColumns columnsOf(CollectionKind kind);

/// Returns the versions that match `tail`, the end of the SQL query (`WHERE …` over `v` for
/// versions, `c` for collections and `m` for links), with their tags and with their aliases in
/// these collections.
Result<std::vector<Version>> selectVersions(storage::Session& session,
                                            CollectionKind kind,
                                            SqlView tail,
                                            const storage::Params& params);
/// Returns a committed version of the collection, or a pending version if `name` is an id.
/// @return kNotFound.
Result<Version> requireVersion(storage::Session& session,
                               const Collection& collection,
                               const VersionName& name);
Result<void> touchVersion(storage::Session& session, std::int64_t id, Timestamp now);

/// Points an alias at a committed version. Raises an event if the alias changed. Returns true if it
/// did.
Result<bool> setAlias(storage::Session& session,
                      const ArtifactChangeContext& change_context,
                      const Collection& collection,
                      const Version& version,
                      const std::string& alias,
                      Timestamp now);
/// Adds a tag to a version. If the tag is new, raises one event per collection that contains the
/// version or a link to it, and returns true.
Result<bool> addTag(storage::Session& session,
                    const ArtifactChangeContext& change_context,
                    const Version& version,
                    const std::string& tag,
                    Timestamp now);

}  // namespace spindle::registry
