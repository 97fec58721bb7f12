#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/store/row_version.h"
#include "registry/artifacts/artifact.h"

namespace spindle::events {
class Outbox;
}

namespace spindle::registry {

/// A link: a version as a member of a linked collection.
struct Membership {
  std::string id;   ///< `mem_…`
  Version version;  ///< with its number and aliases in the collection
  bool created = false;
};

/// SQL access to links of versions in collections of registries and projects. Raises events in the
/// transaction of the change, and only for a change. Thread-safe; calls block on the database.
/// Every call can return kUnavailable, and kNotFound if a collection or version does not exist.
class LinkRepository {
 public:
  LinkRepository(events::Outbox& outbox, const Clock& clock) : outbox_(outbox), clock_(clock) {}

  /// Links a committed version into a collection, and creates the collection if it is missing. The
  /// link gets the next number of the collection, the aliases and `latest`. A link in a registry
  /// makes the time to live of the version unlimited. If the version is linked already, this only
  /// sets the aliases.
  /// @return kConflict `type_clash`, or `source_collection` if the collection contains versions;
  /// kInvalidArgument `type_not_accepted`, `personal_entity`; kPermissionDenied `protected_alias`.
  Result<Membership> link(const Place& place,
                          const Actor& actor,
                          std::string_view collection,
                          std::int64_t version_id,
                          const std::vector<std::string>& aliases);

  /// Removes a link. The source version stays.
  /// @return kConflict `source_collection`; kPreconditionFailed; kPermissionDenied
  /// `protected_alias` if the link has a protected alias that the actor may not remove.
  Result<void> unlink(const Place& place,
                      const Actor& actor,
                      std::string_view collection,
                      const VersionName& name,
                      identity::IfVersion if_version = {});

 private:
  events::Outbox& outbox_;
  const Clock& clock_;
};

}  // namespace spindle::registry
