#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "identity/page.h"
#include "identity/row_version.h"
#include "registry/artifact.h"

namespace spindle::events {
class Outbox;
}
namespace spindle::storage {
class Database;
}

namespace spindle::registry {

/// A collection that shows a version, for one who knows only its id.
struct VersionPlace {
  Place place;
  std::string collection;
};

/// Which versions of a collection are wanted.
struct VersionFilter {
  std::optional<std::string> tag;
  std::optional<std::string> alias;
};

/// Versions: from their creation over the commit to their end; and read through links as well,
/// with the numbers and aliases that they have there. Thread-safe; calls block on the database, and
/// every one may return kUnavailable. Events are raised in the transaction of the change. A
/// collection is named within its project or registry (`place_id`); what is not there is kNotFound.
/// What is asked of a collection of links but belongs to a source is kConflict
/// `linked_collection`.
class VersionRepository {
 public:
  VersionRepository(storage::Database& database, events::Outbox& outbox, const Clock& clock)
      : database_(database), outbox_(outbox), clock_(clock) {}

  /// What came of a wish for a new version.
  struct Begun {
    Version version;
    bool deduplicated = false;           ///< the content was there: it is the version that has it
    std::vector<ManifestEntry> missing;  ///< whose bytes nobody has brought yet, each file once
  };
  /// Makes a pending version, and the collection when it is missing. When the collection has the
  /// same content already, that version gets the aliases and tags instead.
  /// @return kConflict `type_clash`; kInvalidArgument `reserved_name`.
  Result<Begun> begin(const Place& place, const Actor& actor, const NewVersion& fresh);

  /// Those of a pending version's files at these paths whose bytes are still missing.
  /// @return kConflict `not_pending`; kInvalidArgument for a path that is not in the manifest.
  Result<std::vector<ManifestEntry>> missing(const Place& place,
                                             std::string_view collection,
                                             std::int64_t id,
                                             const std::vector<std::string>& paths);

  /// Gives a pending version its number, its aliases and `latest`; nothing happens when it has
  /// them. @return kConflict `missing_files`, with the list.
  Result<Version> commit(const Place& place,
                         const Actor& actor,
                         std::string_view collection,
                         std::int64_t id);

  /// A pending version is found by its id only.
  Result<Version> find(std::string_view place_id,
                       std::string_view collection,
                       const VersionName& name);

  /// The committed ones, by number, newest first. A page ends with a number.
  Result<identity::Page<Version>> list(std::string_view place_id,
                                       std::string_view collection,
                                       const VersionFilter& filter,
                                       const identity::PageRequest& page);

  /// Through a link, too: it is the source that changes.
  /// @return kPreconditionFailed; kInvalidArgument for too many members of the metadata; kConflict
  /// `ttl_on_link` for a life of one that is a link or that a registry shows.
  Result<Version> update(std::string_view place_id,
                         std::string_view collection,
                         const VersionName& name,
                         const VersionChange& change,
                         identity::IfVersion if_version = {});

  /// `latest` moves to the newest version that is left. Its links go with it, without events.
  /// @return kPreconditionFailed; kConflict `has_aliases` unless they go too, `protected_alias`
  /// while a link holds one.
  Result<void> remove(std::string_view place_id,
                      std::string_view collection,
                      const VersionName& name,
                      bool delete_aliases,
                      identity::IfVersion if_version = {});

  /// Where a committed version was made, and then where it is linked.
  Result<std::vector<VersionPlace>> locate(std::int64_t id);

  /// Entries of a version by their paths: those that begin with `prefix`, behind `after`.
  Result<std::vector<ManifestEntry>> entries(std::int64_t id,
                                             std::string_view prefix,
                                             std::string_view after,
                                             int limit);
  Result<ManifestEntry> entry(std::int64_t id, std::string_view path);

  /// Ends versions whose time is over, and pending ones that nobody has committed for a day; a
  /// moderate number at a time. @return how many.
  Result<std::int64_t> expire();

 private:
  storage::Database& database_;
  events::Outbox& outbox_;
  const Clock& clock_;
};

}  // namespace spindle::registry
