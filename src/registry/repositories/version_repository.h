#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/store/page.h"
#include "identity/store/row_version.h"
#include "registry/artifacts/artifact.h"
#include "storage/database/forward.h"

namespace spindle::events {
class Outbox;
}

namespace spindle::registry {

/// A collection that contains a version or a link to it.
struct VersionLocation {
  Place place;
  std::string collection;
};

/// A filter for the versions of a collection.
struct VersionFilter {
  std::optional<std::string> tag;
  std::optional<std::string> alias;
};

/// SQL access to versions, from creation and commit to removal. Reads versions through links too,
/// with their numbers and aliases in the linked collection. Raises events in the transaction of the
/// change. `place_id` is the id of the project or registry of the collection. Thread-safe; calls
/// block on the database. Every call can return kUnavailable; kNotFound; and kConflict
/// `linked_collection` for an operation that needs a source collection.
class VersionRepository {
 public:
  VersionRepository(storage::Database& database, events::Outbox& outbox, const Clock& clock)
      : database_(database), outbox_(outbox), clock_(clock) {}

  /// The result of begin().
  struct BeginResult {
    Version version;
    bool deduplicated = false;  ///< true: `version` existed already with the same content
    std::vector<ManifestEntry>
        missing;  ///< files that the team has not uploaded, without duplicates
  };
  /// Creates a pending version, and the collection if it is missing. If the collection has a
  /// version with the same content, adds the aliases and tags to that version instead.
  /// @return kConflict `type_clash`; kInvalidArgument `reserved_name`.
  Result<BeginResult> begin(const Place& place, const Actor& actor, const NewVersion& fresh);

  /// Returns the files of a pending version at these paths that are not uploaded yet.
  /// @return kConflict `not_pending`; kInvalidArgument for a path that is not in the manifest.
  Result<std::vector<ManifestEntry>> missing(const Place& place,
                                             std::string_view collection,
                                             std::int64_t id,
                                             const std::vector<std::string>& paths);

  /// Commits a pending version: sets its number, its aliases and `latest`. Has no effect on a
  /// committed version. @return kConflict `missing_files`, with the list.
  Result<Version> commit(const Place& place,
                         const Actor& actor,
                         std::string_view collection,
                         std::int64_t id);

  /// Finds a version. A pending version is found only by its id.
  Result<Version> find(std::string_view place_id,
                       std::string_view collection,
                       const VersionName& name);

  /// Returns a page of committed versions, highest number first. The page cursor is a number.
  Result<identity::Page<Version>> list(std::string_view place_id,
                                       std::string_view collection,
                                       const VersionFilter& filter,
                                       const identity::PageRequest& page);

  /// Changes a version. For a link, changes the source version.
  /// @return kPreconditionFailed; kInvalidArgument for too many members of the metadata; kConflict
  /// `ttl_on_link` for a time to live on a link, or on a version with a link in a registry.
  Result<Version> update(std::string_view place_id,
                         std::string_view collection,
                         const VersionName& name,
                         const VersionChange& change,
                         identity::IfVersion if_version = {});

  /// Removes a version and its links, without events. Moves `latest` to the newest remaining
  /// version. @return kPreconditionFailed; kConflict `has_aliases` if it has aliases and
  /// `delete_aliases` is false, `protected_alias` if a link has a protected alias.
  Result<void> remove(std::string_view place_id,
                      std::string_view collection,
                      const VersionName& name,
                      bool delete_aliases,
                      identity::IfVersion if_version = {});

  /// Returns the collections of a committed version: the source collection, then those with links.
  Result<std::vector<VersionLocation>> locate(std::int64_t id);

  /// Returns entries of a version in path order: paths that begin with `prefix`, after `after`.
  Result<std::vector<ManifestEntry>> entries(std::int64_t id,
                                             std::string_view prefix,
                                             std::string_view after,
                                             int limit);
  Result<ManifestEntry> entry(std::int64_t id, std::string_view path);

  /// Removes expired versions, and versions that have been pending for a day; a limited number per
  /// call. Returns the number of removed versions.
  Result<std::int64_t> expire();

 private:
  storage::Database& database_;
  events::Outbox& outbox_;
  const Clock& clock_;
};

}  // namespace spindle::registry
