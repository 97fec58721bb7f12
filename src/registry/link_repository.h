#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "identity/row_version.h"
#include "registry/artifact.h"

namespace spindle::events {
class Outbox;
}

namespace spindle::registry {

/// A version as a member of a linked collection.
struct Membership {
  std::string id;   ///< `mem_…`
  Version version;  ///< as the collection shows it
  bool created = false;
};

/// Links of versions in collections of registries and projects. Thread-safe; calls block on the
/// database, and every one may return kUnavailable. Events are raised in the transaction of the
/// change, and only by a change. What is not there is kNotFound.
class LinkRepository {
 public:
  LinkRepository(events::Outbox& outbox, const Clock& clock) : outbox_(outbox), clock_(clock) {}

  /// Makes a committed version a member, and the collection when it is missing. It gets the next
  /// number of the collection, the aliases and `latest`; in a registry it lives for ever from now
  /// on. A member already gets the aliases only.
  /// @return kConflict `type_clash`, `source_collection` (versions are made there);
  /// kInvalidArgument `type_not_accepted`, `personal_entity`; kPermissionDenied `protected_alias`.
  Result<Membership> link(const Place& place,
                          const Actor& actor,
                          std::string_view collection,
                          std::int64_t version_id,
                          const std::vector<std::string>& aliases);

  /// The version stays where it was made.
  /// @return kConflict `source_collection`; kPreconditionFailed; kPermissionDenied
  /// `protected_alias` while it has one and the actor does not guard them.
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
